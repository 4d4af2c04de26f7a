"""Campaigns: collecting votes that nothing can lose."""
