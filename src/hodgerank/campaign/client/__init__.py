"""Campaigns on a server, used over HTTP."""

from __future__ import annotations
