"""Write docs/reference/http.md from the table of routes and the schema of the API.

python -m tests.docs.http_reference
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from inspect import getdoc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.docs.pages import DOCS

from hodgerank.server.app import create_app
from hodgerank.server.auth import ANYONE, PROGRAM, SIGNED_IN, Who
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.routes import ROUTES, Route

PAGE = DOCS / "reference" / "http.md"
ROLES = ("owner", "judge", "reader", "worker")
BEGINNING = "/api/v1"
SETTINGS = "[settings](api/campaign.md#settings)"
WORDS = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}
INTRODUCTION = """\
# HTTP

<!-- Written by `make transcripts` from the routes themselves; changes here are lost. -->

All addresses of [`hodgerank serve`](commands.md#serve). The first steps are in
[Let programs take part](../guides/programs.md); from Python there is
[`RemoteCampaign`](api/campaign.md#a-campaign-on-a-server). A server has the schema of its API
(OpenAPI) at `/api/v1/openapi.json`.

A program sends `Authorization: Bearer TOKEN`. A token has a role, and is good for one campaign or
for all:

| role | may |
|---|---|
| owner | do everything |
| judge | lease, answer, skip and undo under its own name, and see the progress |
| reader | see all that is known |
| worker | compare: a browser that has joined |

What is refused comes with words, an `application/problem+json` (RFC 9457) with
[these fields](#problemdetails):

| status | what is wrong |
|---:|---|
| 401 | there is no token or session, or it opens nothing |
| 403 | it has another role, or the request came from a page of another site |
| 404 | it is not there, or none of the token's business |
| 409 | the campaign refuses it |
| 413 | it is too large |
| 421 | the server is not known by that name: `--public-url` |
| 422 | it is not as the schema has it |
| 429 | there were too many tries |
| 503 | it could not be written, or read |
"""
BODIES = """\
## Bodies

What is sent and answered, in JSON. A field that is not named here is refused.
"""
OF_SETTINGS = {
    "Settings",
    "Attention",
    "Joining",
    "Panel",
    "Pages",
    "GoldPair",
    "PracticePair",
    "QuizQuestion",
}


def http_reference() -> str:
    """The page."""
    with TemporaryDirectory() as folder:
        context = ServerContext(ServerConfig(str(Path(folder, "campaigns.db"))))
        try:
            schema = create_app(context).openapi()
        finally:
            context.close()
    models = schema["components"]["schemas"]
    described = [route for route in ROUTES if route.path in schema["paths"]]
    api = [(route, schema["paths"][route.path][route.method.lower()]) for route in described]
    parts = [INTRODUCTION, _overview(api)]
    parts += [_section(route, operation) for route, operation in api]
    parts.append(BODIES)
    sent = _sent(api, models)
    names = [name for name in sorted(models) if not _is_of_settings(name)]
    parts += [_model(name, models[name], is_sent=name in sent) for name in names]
    parts.append(_pages([route for route in ROUTES if route not in described]))
    return "\n".join(parts)


def _overview(api: list[tuple[Route, dict[str, Any]]]) -> str:
    words = f"Addresses begin with `{BEGINNING}`."
    lines = ["## For programs", "", words, "", "| route | what it does | role |", "|---|---|---|"]
    for route, operation in api:
        anchor = operation["summary"].lower().replace(" ", "-").replace(",", "")
        link = f"[{operation['summary']}](#{anchor})"
        path = route.path.removeprefix(BEGINNING)
        lines.append(f"| `{route.method} {path}` | {link} | {_who(route.who)} |")
    return "\n".join(lines) + "\n"


def _section(route: Route, operation: dict[str, Any]) -> str:
    lines = [
        f"### {operation['summary']}",
        "",
        "```text",
        f"{route.method} {route.path}",
        "```",
        "",
    ]
    if operation["description"].rstrip(".") != operation["summary"]:
        lines += [operation["description"], ""]
    lines += _parameters(operation)
    if body := operation.get("requestBody"):
        lines += [f"Takes {_content(body['content'])}.", ""]
    answer = {
        status: said for status, said in operation["responses"].items() if status != "default"
    }
    for status, said in answer.items():
        content = said.get("content")
        what = f"Answers {_content(content)}" if content else "Answers nothing"
        lines += [f"{what} ({status})."]
    return "\n".join(lines) + "\n"


def _parameters(operation: dict[str, Any]) -> list[str]:
    """What stands behind the question mark, or in headers."""
    rows = [
        f"| `{one['name']}` | {_cell(_kind(one['schema']))} | {_default(one['schema'])} "
        f"| {_cell(one.get('description', ''))} |"
        for one in operation.get("parameters", [])
        if one["in"] in ("query", "header")
    ]
    return (
        ["| parameter | is | default | meaning |", "|---|---|---|---|", *rows, ""] if rows else []
    )


def _content(content: dict[str, Any]) -> str:
    """A model, or kinds of files."""
    kinds = [kind for kind in content if kind != "application/json"]
    if kinds:
        return " or ".join(f"`{kind}`" for kind in kinds)
    return _kind(content["application/json"]["schema"])


def _model(name: str, model: dict[str, Any], *, is_sent: bool) -> str:
    lines = [f"### {name}", "", model.get("description", ""), ""]
    default = " default |" if is_sent else ""
    lines += [f"| field | is |{default} meaning |", "|---|---|---|" + "---|" * is_sent]
    for field, schema in model.get("properties", {}).items():
        given = "required" if field in model.get("required", ()) else _default(schema)
        middle = f" {given} |" if is_sent else ""
        meaning = _cell(schema.get("description", ""))
        lines.append(f"| `{field}` | {_cell(_kind(schema))} |{middle} {meaning} |")
    if examples := model.get("examples"):
        lines += ["", "```json", json.dumps(examples[0], ensure_ascii=False), "```"]
    return "\n".join(lines) + "\n"


def _sent(api: list[tuple[Route, dict[str, Any]]], models: dict[str, Any]) -> set[str]:
    """The models that requests bring, with those that stand in them."""
    found: set[str] = set()
    new = set(_named([operation.get("requestBody") for _, operation in api]))
    while new:
        found |= new
        new = set(_named([models[name] for name in new])) - found
    return found


def _named(content: Any) -> Iterator[str]:
    """The models that are referred to anywhere in a piece of the schema."""
    if isinstance(content, dict):
        if "$ref" in content:
            yield content["$ref"].rpartition("/")[2]
        content = list(content.values())
    if isinstance(content, list):
        for one in content:
            yield from _named(one)


def _pages(routes: list[Route]) -> str:
    lines = [
        "## For browsers",
        "",
        "The pages, what their scripts ask, and what watches over the server.",
        "",
        "| route | what it is | for |",
        "|---|---|---|",
    ]
    for route in routes:
        words = (getdoc(route.endpoint) or "").partition("\n\n")[0].replace("\n", " ")
        assert words, f"{route.path} has no words"
        lines.append(f"| `{route.method} {route.path}` | {_cell(words)} | {_who(route.who)} |")
    return "\n".join(lines) + "\n"


def _who(who: Who) -> str:
    if who == ANYONE:
        return "anyone"
    if who == PROGRAM:
        return "any"
    if who == SIGNED_IN:
        return "any key of the campaign"
    return ", ".join(role for role in ROLES if role in who)


def _kind(schema: dict[str, Any]) -> str:
    """What a value is, in words."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return SETTINGS if _is_of_settings(name) else f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(_kind(one) for one in options))
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return f"list of {_kind(schema['items'])}"
    bounds = _bounds(schema)
    return f"{WORDS[kind] if kind else 'any value'}{bounds}"


def _bounds(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None or high is None or abs(high) > 1e6:
        return ""
    return f", {low:g} to {high:g}"


def _default(schema: dict[str, Any]) -> str:
    return f"`{json.dumps(schema['default'])}`" if "default" in schema else ""


def _is_of_settings(name: str) -> bool:
    """Whether a model is one of settings, which have a page of their own."""
    plain = name.removeprefix("Some").removeprefix("All")
    return plain in OF_SETTINGS


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(http_reference(), encoding="utf-8")
