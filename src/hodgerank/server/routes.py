"""The routes: what can be asked, by whom, and who answers. There are no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hodgerank.server.access import (
    ANYONE,
    JUDGE,
    OWNER,
    PROGRAM,
    READER,
    SIGNED_IN,
    WORKER,
    Who,
)
from hodgerank.server.api import campaigns as api_campaigns
from hodgerank.server.api import describing as api_describing
from hodgerank.server.api import events as api_events
from hodgerank.server.api import items as api_items
from hodgerank.server.api import media as api_media
from hodgerank.server.api import results as api_results
from hodgerank.server.api import tasks as api_tasks
from hodgerank.server.api import tokens as api_tokens
from hodgerank.server.api import votes as api_votes
from hodgerank.server.api import workers as api_workers
from hodgerank.server.metrics.page import metrics
from hodgerank.server.pages import (
    answering,
    campaigns,
    choosing,
    comparing,
    entering,
    export,
    files,
    items,
    joining,
    leaving,
    live,
    media,
    new,
    settings,
    workers,
)

SCHEMA = "/api/v1/openapi.json"
CAMPAIGN = "/api/v1/campaigns/{campaign}"


class Route(NamedTuple):
    """One row of the table."""

    method: str
    path: str
    who: Who
    endpoint: Callable[..., Any]

    @property
    def is_api(self) -> bool:
        """Whether it is for programs, and described in the schema, which leaves itself out."""
        return self.path.startswith("/api/") and self.path != SCHEMA


# fmt: off
ROUTES = [
    # Asked most often, and looked for first.
    Route("POST", "/w/{campaign}/answer",        WORKER, answering.answer),
    Route("POST", "/api/v1/tasks/{task}/answer", JUDGE,  api_tasks.answer_task),
    Route("POST", f"{CAMPAIGN}/tasks",           JUDGE,  api_tasks.lease_tasks),

    Route("GET",  "/static/{name}", ANYONE, files.static),
    Route("GET",  "/healthz",       ANYONE, files.health),
    Route("GET",  "/metrics",       READER, metrics),
    Route("GET",  "/media/{campaign}/{name}", SIGNED_IN, media.media),
    Route("HEAD", "/media/{campaign}/{name}", SIGNED_IN, media.media),
    Route("GET",  "/enter",         ANYONE, entering.enter_page),
    Route("POST", "/enter",         ANYONE, entering.enter),
    Route("POST", "/leave",         OWNER,  entering.sign_out),
    Route("POST", "/leave/others",  OWNER,  entering.sign_out_others),

    Route("GET",  "/",                        OWNER,  campaigns.campaigns_page),
    Route("GET",  "/new",                     OWNER,  new.new_page),
    Route("POST", "/new",                     OWNER,  new.create),
    Route("POST", "/new/preview",             OWNER,  new.preview),
    Route("GET",  "/new/rule",                OWNER,  new.rule_words),
    Route("GET",  "/new/staged/{staged}/{name}", OWNER, choosing.staged_media),
    Route("GET",  "/c/{campaign}",            OWNER,  live.live_page),
    Route("GET",  "/c/{campaign}/row",        OWNER,  campaigns.campaign_row),
    Route("GET",  "/c/{campaign}/standing",   OWNER,  live.standing_part),
    Route("GET",  "/c/{campaign}/stream",     OWNER,  live.stream),
    Route("POST", "/c/{campaign}/status",     OWNER,  live.set_status),
    Route("GET",  "/c/{campaign}/workers",         OWNER, workers.workers_page),
    Route("GET",  "/c/{campaign}/workers/table",   OWNER, workers.workers_table),
    Route("GET",  "/c/{campaign}/workers/one",     OWNER, workers.worker_page),
    Route("GET",  "/c/{campaign}/workers/without", OWNER, workers.worker_without),
    Route("POST", "/c/{campaign}/workers/ban",     OWNER, workers.ban),
    Route("POST", "/c/{campaign}/workers/restore", OWNER, workers.restore),
    Route("POST", "/c/{campaign}/workers/admit",   OWNER, workers.admit),
    Route("POST", "/c/{campaign}/workers/forget",  OWNER, workers.forget),
    Route("GET",  "/c/{campaign}/items",           OWNER, items.items_page),
    Route("GET",  "/c/{campaign}/items/table",     OWNER, items.items_table),
    Route("POST", "/c/{campaign}/items/preview",   OWNER, items.preview),
    Route("POST", "/c/{campaign}/items/add",       OWNER, items.add),
    Route("POST", "/c/{campaign}/items/retire",    OWNER, items.retire),
    Route("POST", "/c/{campaign}/items/restore",   OWNER, items.restore),
    Route("GET",  "/c/{campaign}/items/{number}",  OWNER, items.item_page),
    Route("POST", "/c/{campaign}/items/{number}",  OWNER, items.edit),
    Route("GET",  "/c/{campaign}/settings",        OWNER, settings.settings_page),
    Route("POST", "/c/{campaign}/settings",        OWNER, settings.change),
    Route("POST", "/c/{campaign}/entrance",        OWNER, settings.renew_entrance),
    Route("POST", "/c/{campaign}/reset",           OWNER, settings.reset),
    Route("POST", "/c/{campaign}/tokens",          OWNER, settings.make_token),
    Route("POST", "/c/{campaign}/tokens/revoke",   OWNER, settings.revoke_campaign_token),
    Route("GET",  "/c/{campaign}/export",          OWNER, export.export_page),
    Route("GET",  "/c/{campaign}/export/{name}",   OWNER, export.export_file),
    Route("GET",  "/c/{campaign}/report",          OWNER, export.report_page),

    Route("GET",  "/j/{campaign}",            ANYONE, joining.join_page),
    Route("POST", "/j/{campaign}",            ANYONE, joining.join),
    Route("GET",  "/j/{campaign}/{entrance}", ANYONE, joining.join_page),
    Route("POST", "/j/{campaign}/{entrance}", ANYONE, joining.join),
    Route("GET",  "/w/{campaign}",            WORKER, comparing.compare_page),
    Route("GET",  "/w/{campaign}/questions",  WORKER, joining.questions_page),
    Route("POST", "/w/{campaign}/questions",  WORKER, joining.answer_questions),
    Route("POST", "/w/{campaign}/tasks",      WORKER, answering.tasks),
    Route("POST", "/w/{campaign}/skip",       WORKER, answering.skip),
    Route("POST", "/w/{campaign}/undo",       WORKER, answering.undo),
    Route("POST", "/w/{campaign}/leave",      WORKER, leaving.leave),
    Route("GET",  "/w/{campaign}/done",       WORKER, leaving.done_page),

    Route("GET",    SCHEMA,                             ANYONE,  api_describing.get_schema),
    Route("GET",    "/api/v1/campaigns",                PROGRAM, api_campaigns.list_campaigns),
    Route("POST",   "/api/v1/campaigns",                OWNER,   api_campaigns.create_campaign),
    Route("GET",    CAMPAIGN,                           PROGRAM, api_campaigns.get_campaign),
    Route("GET",    f"{CAMPAIGN}/counts",               PROGRAM, api_campaigns.get_counts),
    Route("PATCH",  f"{CAMPAIGN}/settings",             OWNER,   api_campaigns.change_settings),
    Route("POST",   f"{CAMPAIGN}/pause",                OWNER,   api_campaigns.pause_campaign),
    Route("POST",   f"{CAMPAIGN}/resume",               OWNER,   api_campaigns.resume_campaign),
    Route("POST",   f"{CAMPAIGN}/close",                OWNER,   api_campaigns.close_campaign),
    Route("POST",   f"{CAMPAIGN}/reset",                OWNER,   api_campaigns.reset_campaign),
    Route("GET",    f"{CAMPAIGN}/items",                PROGRAM, api_items.list_items),
    Route("POST",   f"{CAMPAIGN}/items",                OWNER,   api_items.add_items),
    Route("PATCH",  f"{CAMPAIGN}/items",                OWNER,   api_items.edit_item),
    Route("POST",   f"{CAMPAIGN}/items/retire",         OWNER,   api_items.retire_items),
    Route("POST",   f"{CAMPAIGN}/items/restore",        OWNER,   api_items.restore_items),
    Route("GET",    f"{CAMPAIGN}/workers",              READER,  api_workers.list_workers),
    Route("POST",   f"{CAMPAIGN}/workers/ban",          OWNER,   api_workers.ban_worker),
    Route("POST",   f"{CAMPAIGN}/workers/restore",      OWNER,   api_workers.restore_worker),
    Route("POST",   f"{CAMPAIGN}/workers/forget",       OWNER,   api_workers.forget_worker),
    Route("POST",   f"{CAMPAIGN}/workers/join",         JUDGE,   api_workers.join_campaign),
    Route("POST",   f"{CAMPAIGN}/workers/quiz",         JUDGE,   api_workers.quiz_worker),
    Route("POST",   f"{CAMPAIGN}/workers/finish",       JUDGE,   api_workers.finish_worker),
    Route("POST",   f"{CAMPAIGN}/tasks/expire",         OWNER,   api_tasks.expire_tasks),
    Route("POST",   f"{CAMPAIGN}/undo",                 JUDGE,   api_tasks.undo_answer),
    Route("POST",   "/api/v1/tasks/{task}/skip",        JUDGE,   api_tasks.skip_task),
    Route("GET",    f"{CAMPAIGN}/ranking",              READER,  api_results.get_ranking),
    Route("GET",    f"{CAMPAIGN}/trust",                READER,  api_results.get_trust),
    Route("GET",    f"{CAMPAIGN}/progress",             PROGRAM, api_results.get_progress),
    Route("GET",    f"{CAMPAIGN}/votes",                READER,  api_votes.get_votes),
    Route("POST",   f"{CAMPAIGN}/votes",                OWNER,   api_votes.import_votes),
    Route("GET",    f"{CAMPAIGN}/events",               READER,  api_events.get_events),
    Route("POST",   "/api/v1/media",                    OWNER,   api_media.upload_media),
    Route("GET",    "/api/v1/tokens",                   OWNER,   api_tokens.list_tokens),
    Route("POST",   "/api/v1/tokens",                   OWNER,   api_tokens.create_token),
    Route("DELETE", "/api/v1/tokens/{token}",           OWNER,   api_tokens.revoke_token),
]
# fmt: on
