"""Description of routes in the OpenAPI schema."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import getdoc
from typing import Any, ParamSpec, TypeAlias

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.server.error_responses import PROBLEM

P = ParamSpec("P")
Endpoint: TypeAlias = Callable[P, Awaitable[Response]]

_DESCRIPTIONS: dict[Callable[..., Any], dict[str, Any]] = {}


class WrongField(BaseModel):
    """An invalid part of a request."""

    where: str = Field(examples=["body/outcome"])
    what: str = Field(examples=["Input should be less than or equal to 1"])


class ProblemDetails(BaseModel):
    """Why a request was refused, as in RFC 9457; `detail` states what to do."""

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Conflict"])
    status: int = Field(ge=400, le=599, examples=[409])
    detail: str = Field(examples=["the campaign is paused: try again later"])
    instance: str = Field(examples=["/api/v1/campaigns/animals/tasks"])
    error: str | None = Field(
        None,
        description="Exception class of the Python library.",
        examples=["NoTask"],
    )
    why: str | None = Field(
        None,
        description="Why there is no task, in one word: 'paused', 'closed', 'enough', 'budget', "
        "'limit', 'banned', 'left', 'pairs' (the worker has seen every pair), "
        "'busy' (all remaining pairs are in progress: try again later), or "
        "'waiting' (others answer now: try again later).",
        examples=["paused"],
    )
    errors: list[WrongField] | None = Field(
        None, description="Parts of the request that do not match the schema."
    )


def operation(
    content: type[BaseModel] | tuple[str, ...] | None,
    status: int = 200,
    *,
    with_location: bool = False,
    accepts: tuple[str, ...] = (),
) -> Callable[[Endpoint[P]], Endpoint[P]]:
    """Describe an endpoint: the first line of its docstring is the summary, the rest the text.

    Parameters
    ----------
    content, status
        Response: a model of JSON, or media types of files; None if empty.
    with_location
        Whether the answer has the address of what was made.
    accepts
        Media types of files that it takes as its body.
    """
    success: dict[str, Any] = {"description": "Done."}
    if isinstance(content, tuple):
        success["description"] = "A file."
        success["content"] = {kind: {"schema": {"type": "string"}} for kind in content}
    elif content is not None:
        success["description"] = (getdoc(content) or "").partition("\n")[0]
        success["model"] = content
    if with_location:
        success["headers"] = {"Location": {"schema": {"type": "string"}, "required": True}}
    body = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in accepts}

    def describe(endpoint: Endpoint[P]) -> Endpoint[P]:
        summary, _, text = (getdoc(endpoint) or "").partition("\n\n")
        extra: dict[str, Any] = {"security": [{"token": []}]}
        if body:
            extra["requestBody"] = {"required": True, "content": body}
        _DESCRIPTIONS[endpoint] = {
            "operation_id": endpoint.__name__,
            "summary": summary.rstrip("."),
            "description": text or summary,
            "status_code": status,
            "responses": {status: success, "default": _PROBLEM},
            "openapi_extra": extra,
        }
        return endpoint

    return describe


_PROBLEM = {
    "description": "The request was refused.",
    "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}},
}


def description_of(endpoint: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments of `FastAPI.add_api_route` that describe an endpoint."""
    return _DESCRIPTIONS.get(endpoint, {})


async def get_schema(request: Request) -> Response:
    """Return the OpenAPI schema of the interface for programs."""
    return JSONResponse(schema_of(request.app))


def schema_of(app: FastAPI) -> dict[str, Any]:
    """The schema of all routes that are for programs, which is made once."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    schema = get_openapi(
        title=app.title, version=app.version, summary=app.summary, routes=app.routes
    )
    parts = schema.setdefault("components", {})
    problem = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
    parts.setdefault("schemas", {}).update({**problem.pop("$defs"), "ProblemDetails": problem})
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    app.openapi_schema = schema
    return schema
