"""The table of routes: who may use them, and which function handles them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hodgerank.server.auth import ANYONE, JUDGE, OWNER, PROGRAM, READER, SIGNED_IN, WORKER, Who
from hodgerank.server.metrics import metrics
from hodgerank.server.views import (
    campaigns,
    compare_page,
    done,
    export,
    item_upload,
    items,
    join,
    live,
    media,
    new_campaign,
    openapi,
    results,
    settings,
    sign_in,
    static_files,
    tasks,
    workers,
)

SCHEMA = "/api/v1/openapi.json"
CAMPAIGN = "/api/v1/campaigns/{campaign}"


class Route(NamedTuple):
    """One route."""

    method: str
    path: str
    who: Who
    endpoint: Callable[..., Any]

    @property
    def is_api(self) -> bool:
        """Whether it is part of the API, and described in the schema."""
        return self.path.startswith("/api/") and self.path != SCHEMA


# fmt: off
ROUTES = [
    # Used most often, and matched first.
    Route("POST", "/w/{campaign}/answer",        WORKER, tasks.answer),
    Route("POST", "/api/v1/tasks/{task}/answer", JUDGE,  tasks.answer_task),
    Route("POST", f"{CAMPAIGN}/tasks",           JUDGE,  tasks.lease_tasks),

    Route("GET",  "/static/{name}", ANYONE, static_files.static),
    Route("GET",  "/healthz",       ANYONE, static_files.health),
    Route("GET",  "/metrics",       READER, metrics),
    Route("GET",  "/media/{campaign}/{name}", SIGNED_IN, media.media),
    Route("HEAD", "/media/{campaign}/{name}", SIGNED_IN, media.media),
    Route("GET",  "/enter",         ANYONE, sign_in.enter_page),
    Route("POST", "/enter",         ANYONE, sign_in.enter),
    Route("POST", "/leave",         OWNER,  sign_in.sign_out),
    Route("POST", "/leave/others",  OWNER,  sign_in.sign_out_others),

    Route("GET",  "/",                        OWNER,  campaigns.campaigns_page),
    Route("GET",  "/new",                     OWNER,  new_campaign.new_page),
    Route("POST", "/new",                     OWNER,  new_campaign.create),
    Route("POST", "/new/preview",             OWNER,  new_campaign.preview),
    Route("GET",  "/new/rule",                OWNER,  new_campaign.rule_words),
    Route("GET",  "/new/staged/{staged}/{name}", OWNER, item_upload.staged_media),
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

    Route("GET",  "/j/{campaign}",            ANYONE, join.join_page),
    Route("POST", "/j/{campaign}",            ANYONE, join.join),
    Route("GET",  "/j/{campaign}/{entrance}", ANYONE, join.join_page),
    Route("POST", "/j/{campaign}/{entrance}", ANYONE, join.join),
    Route("GET",  "/w/{campaign}",            WORKER, compare_page.compare_page),
    Route("GET",  "/w/{campaign}/questions",  WORKER, join.questions_page),
    Route("POST", "/w/{campaign}/questions",  WORKER, join.answer_questions),
    Route("POST", "/w/{campaign}/tasks",      WORKER, tasks.tasks),
    Route("POST", "/w/{campaign}/skip",       WORKER, tasks.skip),
    Route("POST", "/w/{campaign}/undo",       WORKER, tasks.undo),
    Route("POST", "/w/{campaign}/leave",      WORKER, done.leave),
    Route("GET",  "/w/{campaign}/done",       WORKER, done.done_page),

    Route("GET",    SCHEMA,                             ANYONE,  openapi.get_schema),
    Route("GET",    "/api/v1/campaigns",                PROGRAM, campaigns.list_campaigns),
    Route("POST",   "/api/v1/campaigns",                OWNER,   campaigns.create_campaign),
    Route("GET",    CAMPAIGN,                           PROGRAM, campaigns.get_campaign),
    Route("GET",    f"{CAMPAIGN}/counts",               PROGRAM, campaigns.get_counts),
    Route("PATCH",  f"{CAMPAIGN}/settings",             OWNER,   campaigns.change_settings),
    Route("POST",   f"{CAMPAIGN}/pause",                OWNER,   campaigns.pause_campaign),
    Route("POST",   f"{CAMPAIGN}/resume",               OWNER,   campaigns.resume_campaign),
    Route("POST",   f"{CAMPAIGN}/close",                OWNER,   campaigns.close_campaign),
    Route("POST",   f"{CAMPAIGN}/reset",                OWNER,   campaigns.reset_campaign),
    Route("GET",    f"{CAMPAIGN}/items",                PROGRAM, items.list_items),
    Route("POST",   f"{CAMPAIGN}/items",                OWNER,   items.add_items),
    Route("PATCH",  f"{CAMPAIGN}/items",                OWNER,   items.edit_item),
    Route("POST",   f"{CAMPAIGN}/items/retire",         OWNER,   items.retire_items),
    Route("POST",   f"{CAMPAIGN}/items/restore",        OWNER,   items.restore_items),
    Route("GET",    f"{CAMPAIGN}/workers",              READER,  workers.list_workers),
    Route("POST",   f"{CAMPAIGN}/workers/ban",          OWNER,   workers.ban_worker),
    Route("POST",   f"{CAMPAIGN}/workers/restore",      OWNER,   workers.restore_worker),
    Route("POST",   f"{CAMPAIGN}/workers/admit",        OWNER,   workers.admit_worker),
    Route("POST",   f"{CAMPAIGN}/workers/forget",       OWNER,   workers.forget_worker),
    Route("POST",   f"{CAMPAIGN}/workers/join",         JUDGE,   workers.join_campaign),
    Route("POST",   f"{CAMPAIGN}/workers/quiz",         JUDGE,   workers.quiz_worker),
    Route("POST",   f"{CAMPAIGN}/workers/finish",       JUDGE,   workers.finish_worker),
    Route("POST",   f"{CAMPAIGN}/tasks/expire",         OWNER,   tasks.expire_tasks),
    Route("POST",   f"{CAMPAIGN}/undo",                 JUDGE,   tasks.undo_answer),
    Route("POST",   "/api/v1/tasks/{task}/skip",        JUDGE,   tasks.skip_task),
    Route("GET",    f"{CAMPAIGN}/ranking",              READER,  results.get_ranking),
    Route("GET",    f"{CAMPAIGN}/trust",                READER,  results.get_trust),
    Route("GET",    f"{CAMPAIGN}/progress",             PROGRAM, results.get_progress),
    Route("GET",    f"{CAMPAIGN}/votes",                READER,  export.get_votes),
    Route("POST",   f"{CAMPAIGN}/votes",                OWNER,   export.import_votes),
    Route("GET",    f"{CAMPAIGN}/events",               READER,  live.get_events),
    Route("POST",   "/api/v1/media",                    OWNER,   media.upload_media),
    Route("GET",    "/api/v1/tokens",                   OWNER,   settings.list_tokens),
    Route("POST",   "/api/v1/tokens",                   OWNER,   settings.create_token),
    Route("DELETE", "/api/v1/tokens/{token}",           OWNER,   settings.revoke_token),
]
# fmt: on
