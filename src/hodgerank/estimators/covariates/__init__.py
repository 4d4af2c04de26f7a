"""Covariates: numeric properties of a comparison, such as the difference of two text lengths."""

from __future__ import annotations
