"""Event: one entry of a campaign's log, which is all there is to know about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from hodgerank.errors import CampaignError

Kind: TypeAlias = Literal[
    "created",  # data: settings
    "settings_changed",  # data: settings
    "item_added",  # data: item, text, media, track; items are numbered from 0 as they come
    "item_changed",  # left; data: text, media
    "item_retired",  # left
    "item_restored",  # left
    "joined",  # worker; data: what the panel says of them
    "quizzed",  # worker; data: passed
    "left",  # worker; data: outcome
    "issued",  # task, worker, left and right as shown, seconds of the lease; data: purpose, again
    "answered",  # task, worker, outcome, seconds it took; data: rules, late, displaced, weight
    "undone",  # task, worker: an answer is taken back
    "skipped",  # task, worker; data: reason
    "expired",  # task
    "imported",  # worker, left, right, outcome; data: display, weight, source
    "worker_banned",  # worker; data: reason
    "worker_restored",  # worker
    "worker_forgotten",  # worker: the name they have from now on, and before; data: number
    "paused",
    "resumed",
    "enough",  # data: track, rule
    "not_enough",  # data: track, rule: with answers that were out it is reached no more
    "closed",
    "reset",  # votes go, items stay
]
KINDS: tuple[Kind, ...] = get_args(Kind)
PERSONAL: tuple[Kind, ...] = ("joined", "worker_banned")
"""Kinds whose data go when their worker is forgotten."""


class LogChanged(CampaignError):
    """A worker was forgotten since the log was begun to be read: read it from its beginning."""


class Event(NamedTuple):
    """What happened, in a form that every store keeps in columns.

    Attributes
    ----------
    seq
        Place in the log of its campaign, from 1, without gaps.
    at
        Seconds since 1970.
    kind
        What happened; the fields below are used as `Kind` says.
    left, right
        Items by number.
    data
        What has no column of its own, ready for JSON.
    """

    seq: int
    at: float
    kind: Kind
    worker: str | None = None
    task: str | None = None
    left: int | None = None
    right: int | None = None
    outcome: float | None = None
    seconds: float | None = None
    data: Mapping[str, Any] | None = None
