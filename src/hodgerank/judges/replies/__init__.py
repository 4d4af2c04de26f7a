"""What a judge said: from a reply to an outcome, or to why there is none."""
