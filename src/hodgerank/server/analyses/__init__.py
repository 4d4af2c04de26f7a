"""What the analysis is asked: functions of a campaign to read, whose results can be pickled."""
