"""Forms in which every field is attacked."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.sync_api import Page

from hodgerank.server.views.settings_form import FIELDS, ROWS
from server.browser.attacked import Attacked
from server.browser.harm import Inspection, plain

FILL_AND_SEND = """(form, values) => {
  for (const [name, value] of values) {
    form.querySelectorAll(`[name="${name}"]`).forEach((one, k) => {
      const line = value.split("\\n")[k];
      if (one.localName === "select") one.add(new Option(value, value, true, true));
      else if (one.type !== "checkbox") one.value = value;
      else Object.assign(one, { checked: !!line, value: line });
    });
  }
  form.submit();
}"""
NO_TEXT = ("flag", "several")
"""Kinds of fields in which nothing can be written."""


def send_form(page: Page, values: Mapping[str, str], form: str = "form") -> None:
    """Write into fields whatever they are for, and send it."""
    with page.expect_navigation():
        page.locator(form).first.evaluate(FILL_AND_SEND, list(values.items()))


def send_refused_settings(one: Attacked, inspection: Inspection, page: Page) -> None:
    """What is refused is told beside its field."""
    untold = {name: told for name, told in one.hostile.refused.items() if name != "pages.entrance"}
    while untold:
        page.goto(f"{one.home}/settings")
        values = {name: _written(value) for name, (value, _) in untold.items()}
        send_form(page, values, "form.settings")
        words = inspection.look(page)
        told = [name for name, (_, said) in untold.items() if plain(said) in words]
        assert told, untold
        for name in told:
            del untold[name]


def send_everything_wrong(one: Attacked, inspection: Inspection, page: Page) -> None:
    """A form in which nothing is right keeps all of it."""
    page.goto("/new")
    values = {}
    for field in FIELDS:
        parts = [f"{field.name}.{part}" for part in ROWS.get(field.kind, ())]
        for name in parts or [field.name]:
            values[name] = one.attack.text(f"new {name}")
            if field.kind not in NO_TEXT:
                one.to_show.append(values[name])
    send_form(page, values, "form.settings")
    inspection.look(page)


def send_token(one: Attacked, inspection: Inspection, page: Page) -> None:
    """A name of a token is refused, or shown."""
    page.goto(f"{one.home}/settings")
    send_form(page, {"name": one.attack.text("new token")}, "form.token-form")
    inspection.look(page)


def _written(value: object) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)
