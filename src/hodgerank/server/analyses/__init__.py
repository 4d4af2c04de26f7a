"""What the analyst is asked: functions of a campaign to read, whose results can be pickled."""
