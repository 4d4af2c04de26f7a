"""Side by side with peers, in one run; sizes stand in the names."""
