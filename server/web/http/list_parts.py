"""Long lists a part at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tabiya.server.web.http.json_responses import ApiCall
from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.records import BotRecord, MatchRecord, TournamentRecord

Numbered = TypeVar("Numbered", BotRecord, MatchRecord, TournamentRecord, AuditRecord)


def part_of_list(call: ApiCall, found: Sequence[Numbered], cursor: str) -> tuple[Sequence[Numbered], str | None]:
    """As many as the query's `limit` says, and the address of the next part, None at the end.

    found: one more than the limit, if there are more.  cursor: the name in the query of where a part begins.
    """
    part = found[: call.query.limit]
    more = {cursor: part[-1].id} if len(found) > len(part) else None
    return part, str(call.request.rel_url.update_query(more)) if more else None
