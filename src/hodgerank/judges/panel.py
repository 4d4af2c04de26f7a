"""Panel: the models that judge, each behind an endpoint, asked with the same parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hodgerank.errors import InvalidArgument
from hodgerank.judges.endpoint.endpoint import Endpoint
from hodgerank.judges.endpoint.pace import Pace

SHORT_REPLY = 16  # tokens expected of a reply until some were seen
LIMITS = ("max_tokens", "max_completion_tokens")


class Panel:
    """Endpoints by the names of their models.

    `base_url` and `api_key` are one for all or one for each; other options are those of `Endpoint`
    and `Pace`.
    """

    def __init__(
        self,
        models: str | Sequence[str],
        base_url: str | Sequence[str] | None,
        api_key: str | Sequence[str] | None,
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
        *,
        parameters: Mapping[str, Any],
        logprobs: bool,
        **options: Any,
    ) -> None:
        self.models = _different([models] if isinstance(models, str) else list(models))
        urls = _for_each(base_url, self.models, "addresses")
        keys = _for_each(api_key, self.models, "keys")
        self._endpoints = {
            model: Endpoint(
                model,
                base_url=url,
                api_key=key,
                parameters=parameters,
                pace=Pace(requests_per_minute, tokens_per_minute),
                **options,
            )
            for model, url, key in zip(self.models, urls, keys, strict=True)
        }
        any_one = self._endpoints[self.models[0]]
        self.parameters = any_one.parameters_sent(logprobs=logprobs)

    def __getitem__(self, model: str) -> Endpoint:
        return self._endpoints[model]

    @property
    def expected_reply(self) -> int:
        """Tokens that a reply may take, as long as none was seen."""
        told = (self.parameters.get(name) for name in LIMITS)
        return min([SHORT_REPLY, *(limit for limit in told if isinstance(limit, int))])

    async def close(self) -> None:
        """Close all connections."""
        for endpoint in self._endpoints.values():
            await endpoint.close()


def _different(models: list[str]) -> tuple[str, ...]:
    for place, model in enumerate(models):
        if not isinstance(model, str) or not model.strip():
            raise InvalidArgument(f"a model is a name, not {model!r}")
        if model in models[:place]:
            raise InvalidArgument(f"{model} is named twice: to ask it more often, see repeats")
    if not models:
        raise InvalidArgument("name at least one model")
    return tuple(models)


def _for_each(
    given: str | Sequence[str] | None, models: Sequence[str], what: str
) -> list[str | None]:
    values = [given] if given is None or isinstance(given, str) else list(given)
    if len(values) == 1:
        return [values[0]] * len(models)
    if len(values) != len(models):
        raise InvalidArgument(
            f"{len(values)} {what} for {len(models)} models: give one, or one for each"
        )
    return list(values)
