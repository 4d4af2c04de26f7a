"""Problem: a request that is refused, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Problem(Exception):
    """A refused request.

    Attributes
    ----------
    status
        HTTP status.
    detail
        What is wrong and what to do, for people.
    more
        Further members of the response for programs.
    go_to
        Where a page redirects the visitor instead.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        go_to: str | None = None,
        **more: Any,
    ) -> None:
        self.status, self.detail, self.more = status, detail, more
        self.headers, self.go_to = dict(headers or {}), go_to
        super().__init__(detail)
