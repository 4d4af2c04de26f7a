"""Loops that collect answers: play, run, replay, forecast, and when to stop."""
