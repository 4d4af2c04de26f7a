"""create_app: the house, its routes and its shield as one application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial

from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute

from hodgerank import __version__
from hodgerank.errors import HodgeRankError
from hodgerank.server.access import guard
from hodgerank.server.api.describing import description_of, schema_of
from hodgerank.server.api.news import News
from hodgerank.server.house import House
from hodgerank.server.live import Live
from hodgerank.server.metrics.counting import Metrics
from hodgerank.server.metrics.meter import Meter
from hodgerank.server.plain import plain_route
from hodgerank.server.problem import Problem
from hodgerank.server.routes import ROUTES, Route
from hodgerank.server.running.streams import StreamKeeper, Streams
from hodgerank.server.shield import Shield
from hodgerank.server.standings import Standings
from hodgerank.server.telling import answer_problem


def create_app(house: House) -> FastAPI:
    """An application for any ASGI server; it closes the house when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.standings = Standings(house)
        app.state.live = Live(app.state.standings)
        beside = [
            asyncio.create_task(app.state.standings.keep_up()),
            asyncio.create_task(app.state.metrics.watch_loop()),
        ]
        try:
            yield
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            await asyncio.to_thread(house.close)

    app = FastAPI(
        title="hodgerank",
        version=__version__,
        summary="Campaigns of pairwise comparisons: lease tasks, post answers, read the ranking.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )
    app.state.house = house
    app.state.metrics, app.state.streams = Metrics(), Streams()
    app.state.news = News()
    app.add_middleware(Shield, house=house)
    app.add_middleware(StreamKeeper, streams=app.state.streams)
    app.add_middleware(Meter, metrics=app.state.metrics)
    for error in (Problem, HodgeRankError, HTTPException, RequestValidationError):
        app.add_exception_handler(error, answer_problem)
    app.router.routes.extend(_described(tuple(ROUTES)))
    app.openapi = partial(schema_of, app)  # type: ignore[method-assign]
    return app


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
