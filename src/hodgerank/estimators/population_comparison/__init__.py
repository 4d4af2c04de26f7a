"""Tests of whether several populations rank the same items differently."""

from __future__ import annotations
