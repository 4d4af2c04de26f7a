"""Plain routes: pages and their scripts, without what programs need.

They have no schema, and take half the time of those that have one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as PlainRoute

from hodgerank.server.access import Who, guard
from hodgerank.server.problem import Problem


def plain_route(
    method: str, path: str, who: Who, endpoint: Callable[..., Awaitable[Response]]
) -> PlainRoute:
    """A route whose endpoint gets the request, and by name what else it asks for.

    That is a part of the path, or the body, where its type is a model.
    """
    check = guard(who)
    hints = get_type_hints(endpoint)
    wanted = {name: kind for name, kind in hints.items() if name not in ("request", "return")}

    async def answer(request: Request) -> Response:
        request.scope["route"] = route  # by which it is counted
        await check(request)
        values = {name: await _read(request, name, kind) for name, kind in wanted.items()}
        return await endpoint(request, **values)

    route = PlainRoute(path, answer, methods=[method])
    return route


async def _read(request: Request, name: str, kind: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        try:
            return kind.model_validate_json(await request.body())
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False)
            raise RequestValidationError(
                [{**fault, "loc": ("body", *fault["loc"])} for fault in faults]
            ) from None
    try:
        return kind(request.path_params[name])
    except ValueError:
        raise Problem(404, "") from None
