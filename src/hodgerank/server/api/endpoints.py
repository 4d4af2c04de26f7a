"""All endpoints of the API, for the table of routes."""

from hodgerank.server.api.campaigns import (
    change_settings,
    close_campaign,
    create_campaign,
    get_campaign,
    get_counts,
    list_campaigns,
    pause_campaign,
    reset_campaign,
    resume_campaign,
)
from hodgerank.server.api.describing import get_schema
from hodgerank.server.api.events import get_events
from hodgerank.server.api.items import (
    add_items,
    edit_item,
    list_items,
    restore_items,
    retire_items,
)
from hodgerank.server.api.media import upload_media
from hodgerank.server.api.results import get_progress, get_ranking, get_trust
from hodgerank.server.api.tasks import (
    answer_task,
    expire_tasks,
    lease_tasks,
    skip_task,
    undo_answer,
)
from hodgerank.server.api.tokens import create_token, list_tokens, revoke_token
from hodgerank.server.api.votes import get_votes, import_votes
from hodgerank.server.api.workers import (
    ban_worker,
    finish_worker,
    forget_worker,
    join_campaign,
    list_workers,
    quiz_worker,
    restore_worker,
)

__all__ = [
    "add_items",
    "answer_task",
    "ban_worker",
    "change_settings",
    "close_campaign",
    "create_campaign",
    "create_token",
    "edit_item",
    "expire_tasks",
    "finish_worker",
    "forget_worker",
    "get_campaign",
    "get_counts",
    "get_events",
    "get_progress",
    "get_ranking",
    "get_schema",
    "get_trust",
    "get_votes",
    "import_votes",
    "join_campaign",
    "lease_tasks",
    "list_campaigns",
    "list_items",
    "list_tokens",
    "list_workers",
    "pause_campaign",
    "quiz_worker",
    "reset_campaign",
    "restore_items",
    "restore_worker",
    "resume_campaign",
    "retire_items",
    "revoke_token",
    "skip_task",
    "undo_answer",
    "upload_media",
]
