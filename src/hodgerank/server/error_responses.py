"""Error responses: pages for people, and problem details (RFC 9457) for programs."""

from __future__ import annotations

import logging
from http import HTTPStatus
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Match, Route

from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.display import cut, visible
from hodgerank.errors import (
    CampaignError,
    CannotRead,
    CannotWrite,
    HodgeRankError,
    NoTask,
    UnknownItem,
)
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render

logger = logging.getLogger("hodgerank.server")

PROBLEM = "application/problem+json"
OUT_OF_REACH = "The server cannot reach its data at the moment. Please try again soon."


def problem_of(error: Exception, *, is_owner: bool) -> Problem:
    """Return the problem for an error, with the class of library errors, so that clients raise it.

    Only owners are told the path of a file, or the address of a database, that is out of reach.
    """
    name = type(error).__name__
    match error:
        case Problem():
            return error
        case NoTask():
            return Problem(409, str(error), error=name, why=error.why)
        case CampaignError():
            return Problem(409, str(error), error=name)
        case UnknownItem():
            return Problem(404, str(error), error=name)
        case CannotRead() | CannotWrite():
            logger.error("the database: %s", error)
            words = str(error) if is_owner else OUT_OF_REACH
            return Problem(503, words, headers={"Retry-After": "5"}, error=name)
        case HodgeRankError():
            return Problem(422, str(error), error=name)
        case RequestValidationError():
            return Problem(422, _fields(error), errors=_errors(error))
        case HTTPException():
            words = error.detail if error.detail != HTTPStatus(error.status_code).phrase else ""
            return Problem(error.status_code, words, headers=error.headers)
    logger.error("a request failed", exc_info=error)
    return Problem(500, "Internal error (logged). Your votes are safe.")


async def answer_problem(request: Request, error: Exception) -> Response:
    """Return a page if a page was requested, else JSON."""
    key: AccessKey | None = getattr(request.state, "key", None)
    is_owner = key is not None and key.role == "owner"
    problem = problem_of(error, is_owner=is_owner)
    if problem.status == HTTPStatus.METHOD_NOT_ALLOWED:
        problem.headers["Allow"] = _allowed(request)
    request.scope["hodgerank.problem"] = problem.detail  # for the log
    if not wants_page(request):
        return problem_response(request, problem)
    if problem.go_to is not None:
        return RedirectResponse(problem.go_to, 303)
    return render(
        request,
        "owner/problem.html" if is_owner else "problem.html",
        status=problem.status,
        # Texts say it in the language of the page.
        detail="" if problem.detail == OUT_OF_REACH else problem.detail,
        again=problem.headers.get("Retry-After") if request.method == "GET" else None,
        status_code=problem.status,
        headers=problem.headers,
    )


def problem_response(request: Request, problem: Problem) -> JSONResponse:
    """Return problem details as in RFC 9457."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "instance": quote(request.url.path),
        **problem.more,
    }
    return JSONResponse(body, problem.status, problem.headers, PROBLEM)


def wants_page(request: Request) -> bool:
    """Return whether a person will see the response; scripts of pages ask for JSON."""
    is_api = request.scope["path"].startswith(request.scope.get("root_path", "") + "/api/")
    return not is_api and "text/html" in request.headers.get("accept", "")


def _allowed(request: Request) -> str:
    """Return the methods allowed at an address with several routes."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    there = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return ", ".join(sorted({method for route in there for method in route.methods or ()}))


def _errors(error: RequestValidationError) -> list[dict[str, str]]:
    return [
        {"where": "/".join(map(str, one["loc"])), "what": str(one["msg"])} for one in error.errors()
    ]


def _fields(error: RequestValidationError) -> str:
    said = (f"{one['where']}: {one['what']}" for one in _errors(error)[:5])
    return "; ".join(cut(visible(words), 300) for words in said)
