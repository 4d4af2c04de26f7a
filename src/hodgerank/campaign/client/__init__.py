"""A campaign that a server has, used over HTTP."""

from __future__ import annotations
