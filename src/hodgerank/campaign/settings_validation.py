"""Validation of settings, and its messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields
from typing import Any, TypeAlias, get_args

from hodgerank.display import UNSEEN, short
from hodgerank.errors import InvalidArgument, did_you_mean, require_one_of
from hodgerank.estimators.position_bias.groupings import POSITIONS
from hodgerank.estimators.score_scale import UNITS
from hodgerank.sampling.display_order import Display

NO_LIMIT = "none"
Check: TypeAlias = Callable[[Any, str], Any]


def setting(default: Any, check: Check) -> Any:
    """Return a field of a settings class with its default and validation."""
    return field(default=default, metadata={"check": check})


def require_known(kind: type[Any], given: Mapping[str, Any], prefix: str = "") -> None:
    """Refuse unknown names."""
    known = [one.name for one in fields(kind)]
    for name in given:
        if name not in known:
            raise InvalidArgument(
                f"there is no setting {prefix}{short(name)}{did_you_mean(name, known)}"
            )


def check_all(settings: Any, prefix: str = "") -> None:
    """Validate every field."""
    for one in fields(settings):
        if check := one.metadata.get("check"):
            value = check(getattr(settings, one.name), prefix + one.name)
            object.__setattr__(settings, one.name, value)


def text(value: Any, name: str) -> str:
    """Validate a text, which may be empty."""
    if not isinstance(value, str):
        raise _wrong(name, "a text in quotes", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} has an invalid character: write it again") from None
    return value


def texts(value: Any, name: str) -> tuple[str, ...]:
    """Validate a list of different texts."""
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise _wrong(name, "a list of texts", value)
    found = tuple(text(one, name) for one in value)
    if len(set(found)) < len(found) or not all(one.strip() for one in found):
        raise _wrong(name, "a list of different texts that are not empty", value)
    return found


def line(value: Any, name: str) -> str:
    """Validate a text of one line without invisible characters."""
    if UNSEEN.search(text(value, name)):
        raise _wrong(name, "a text in one line", value)
    return str(value)


def group(kind: type[Any]) -> Check:
    """Validate a group of settings: an object, or a table of some of its values."""

    def check(value: Any, name: str) -> Any:
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise _wrong(name, "a table", value)
        require_known(kind, value, f"{name}.")
        return kind(**value)

    return check


def tables(kind: type[Any], what: str) -> Check:
    """Validate a list of small tables."""
    needed = {one.name for one in fields(kind) if one.default is MISSING}
    shape = ", ".join(f"{one.name} = ..." for one in fields(kind))

    def read(value: Any, name: str) -> Any:
        if type(value) is kind:
            return value
        known = {one.name for one in fields(kind)}
        if not isinstance(value, Mapping) or not needed <= set(value) <= known:
            raise _wrong(f"{name}: {what}", f"{{ {shape} }}", value)
        return kind(**value)

    def check(value: Any, name: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise _wrong(name, "a list of tables", value)
        return tuple(read(one, name) for one in value)

    return check


def flag(value: Any, name: str) -> bool:
    """Validate a boolean."""
    if not isinstance(value, bool):
        raise _wrong(name, "true or false", value)
    return value


def whole(least: int, most: int = 10**9) -> Check:
    """Validate a whole number."""

    def check(value: Any, name: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            limit = f" and at most {most:,}" if most < 10**9 else ""
            raise _wrong(name, f"a whole number, at least {least}{limit}", value)
        return value

    return check


def number(least: float, most: float) -> Check:
    """Validate a number."""

    def check(value: Any, name: str) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not least <= value <= most:  # which NaN is not either
            raise _wrong(name, f"a number from {least:g} to {most:g}", value)
        return float(value)

    return check


def one_of(*allowed: str) -> Check:
    """Validate one of several words."""
    return lambda value, name: require_one_of(value, allowed, name)


def optional(check: Check) -> Check:
    """Allow None for no limit; in TOML, which has no null, it is "none"."""
    return lambda value, name: None if value in (None, NO_LIMIT) else check(value, name)


position_bias = optional(one_of(*POSITIONS))
display = one_of(*get_args(Display))
ranking = one_of("robust", "plain")
score_scale = one_of("model", *UNITS)  # the others need a baseline, or not too many items


def _wrong(name: str, right: str, value: Any) -> InvalidArgument:
    return InvalidArgument(f"{name} must be {right}, not {short(repr(value))}")
