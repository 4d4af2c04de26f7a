"""create_app: routes, security middleware and server context as one ASGI application."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any, get_type_hints

from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.routing import Route as PlainRoute

from hodgerank import __version__
from hodgerank.errors import HodgeRankError
from hodgerank.server.auth import Who, guard
from hodgerank.server.context import ServerContext
from hodgerank.server.error_responses import answer_problem
from hodgerank.server.live_stream import LiveUpdates
from hodgerank.server.metrics import Metrics
from hodgerank.server.open_streams import StreamKeeper, Streams
from hodgerank.server.problem import Problem
from hodgerank.server.request_log import RequestMeter
from hodgerank.server.routes import ROUTES, Route
from hodgerank.server.security_middleware import SecurityMiddleware
from hodgerank.server.standings import Standings
from hodgerank.server.views.live import EventWaiter
from hodgerank.server.views.openapi import description_of, schema_of

DAY_SECONDS = 86_400.0
logger = logging.getLogger("hodgerank.server")


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


def create_app(context: ServerContext) -> FastAPI:
    """An application for any ASGI server; it closes the context when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.standings = Standings(context)
        app.state.live = LiveUpdates(app.state.standings)
        beside = [
            asyncio.create_task(app.state.standings.keep_up()),
            asyncio.create_task(app.state.metrics.watch_loop()),
            asyncio.create_task(_remove_expired_keys(context)),
        ]
        try:
            yield
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await asyncio.to_thread(context.close)

    app = FastAPI(
        title="hodgerank",
        version=__version__,
        summary="Campaigns of pairwise comparisons: lease tasks, post answers, read the ranking.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )
    app.state.context = context
    app.state.metrics, app.state.streams = Metrics(), Streams()
    app.state.news = EventWaiter()
    app.add_middleware(SecurityMiddleware, context=context)
    app.add_middleware(StreamKeeper, streams=app.state.streams)
    app.add_middleware(RequestMeter, metrics=app.state.metrics)
    for error in (Problem, HodgeRankError, HTTPException, RequestValidationError):
        app.add_exception_handler(error, answer_problem)
    app.router.routes.extend(_described(tuple(ROUTES)))
    app.openapi = partial(schema_of, app)  # type: ignore[method-assign]
    return app


async def _remove_expired_keys(context: ServerContext) -> None:
    """At the start, and once a day."""
    while True:
        try:
            await run_in_threadpool(context.keys.remove_expired)
        except HodgeRankError as error:  # the database is out of reach: tomorrow, then
            logger.warning("expired keys were not deleted: %s", error)
        await asyncio.sleep(DAY_SECONDS)


@cache
def _described(routes: tuple[Route, ...]) -> list[BaseRoute]:
    """Made once for all applications of a process: to describe them to FastAPI takes long."""
    router = APIRouter()
    for route in routes:
        if not route.is_api:
            router.routes.append(plain_route(*route))
            continue
        router.add_api_route(
            route.path,
            route.endpoint,
            methods=[route.method],
            dependencies=[Depends(guard(route.who))],
            name=f"{route.method} {route.path}",
            response_model=None,
            **description_of(route.endpoint),
        )
    return router.routes
