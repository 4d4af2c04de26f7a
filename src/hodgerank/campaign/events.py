"""Event: one entry of a campaign's log, from which everything else follows."""

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
    "joined",  # worker; data: what the panel says of them; in a browser, this as `person`
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
    "not_enough",  # data: track, rule: with late answers it is no longer reached
    "closed",
    "reset",  # votes are discarded, items stay
]
KINDS: tuple[Kind, ...] = get_args(Kind)
PERSONAL: tuple[Kind, ...] = ("joined", "worker_banned")
"""Kinds whose data are removed when their worker is forgotten."""


class LogChanged(CampaignError):
    """A worker was forgotten while the log was being read: read it from its beginning."""


class Event(NamedTuple):
    """An event, in a form that every store keeps in columns.

    Attributes
    ----------
    seq
        Number in the log of its campaign, from 1, without gaps.
    at
        Seconds since 1970.
    kind
        Kind of event; `Kind` lists the fields it uses.
    left, right
        Items by number.
    data
        Further values, ready for JSON.
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
