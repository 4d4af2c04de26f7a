"""The schema describes every route and every body."""

from __future__ import annotations

from typing import cast

from hodgerank.server.app import create_app
from hodgerank.server.context import ServerContext
from hodgerank.server.routes import ROUTES
from hodgerank.server.views.openapi import schema_of

described = schema_of(create_app(cast("ServerContext", None)))


def test_every_route_is_described():
    operations = {
        (method.upper(), path): operation
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    }
    assert set(operations) == {(route.method, route.path) for route in ROUTES if route.is_api}
    names = [operation["operationId"] for operation in operations.values()]
    assert len(set(names)) == len(names)
    for operation in operations.values():
        assert operation["summary"]
        assert operation["summary"][0].isupper()
        assert operation["description"]
        assert operation["security"] == [{"token": []}]
        problem = operation["responses"]["default"]["content"]
        assert list(problem) == ["application/problem+json"]


def test_every_body_is_strict_and_has_an_example():
    parts = described["components"]["schemas"]
    bodies = {
        body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for methods in described["paths"].values()
        for operation in methods.values()
        if (body := operation.get("requestBody")) and "application/json" in body["content"]
    }
    assert len(bodies) > 10
    for name in bodies:
        assert parts[name]["additionalProperties"] is False
        assert parts[name]["examples"], name
