"""Which entrants could not play now, and why: warnings for the operator. They may still connect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tabiya.server.sessions.session import SessionTable
from tabiya.server.tournaments.hosted import HostedPrograms
from tabiya.storage.program_records import ProgramRecord
from tabiya.storage.records import BotId, TournamentEntry
from tabiya.storage.store import Store

MOST_NAMED = 10


class Readiness:
    """Looks at bots before their games. programs: that the server has others run."""

    def __init__(self, store: Store, sessions: SessionTable, programs: HostedPrograms) -> None:
        self._store, self._sessions, self._programs = store, sessions, programs

    async def warnings(self, entries: Sequence[TournamentEntry], game: str, no_show_s: float) -> tuple[str, ...]:
        """Sentences about those of these entrants that could not play now; none if all could.

        no_show_s: seconds of absence after which a bot is withdrawn.  Raises StoreError.
        """
        absent = [(entry, why) for entry in entries if (why := self._absence(entry.bot_id, game))]
        if not absent:
            return ()
        versions = defaultdict[BotId, list[ProgramRecord]](list)
        for program in await self._store.programs(*(entry.bot_id for entry, _ in absent)):
            versions[program.bot_id].append(program)
        names = defaultdict[str, list[str]](list)
        for entry, why in absent:
            names[why + _why_no_program_plays(versions[entry.bot_id], game)].append(entry.bot)
        found = [f"{_listed(those)} cannot play now: {reason}." for reason, those in names.items()]
        return (*found, f"A bot that is away for {no_show_s:g} s is withdrawn.")

    def _absence(self, bot: BotId, game: str) -> str:
        """Why a bot cannot play now, programs apart; empty if it can."""
        session = self._sessions.by_bot(bot)
        if (session and session.plays(game)) or bot in self._programs.able(game):
            return ""
        return f"connected, but not for {game}" if session else "not connected"


def _why_no_program_plays(versions: Sequence[ProgramRecord], game: str) -> str:
    """As the end of a sentence. versions: of the uploaded program, the newest first; empty if there is none."""
    if not versions:
        return ""
    used = next((version for version in versions if version.in_use), None)
    if used and used.game == game:
        return f", and version {used.number} of its program is disabled or set aside"
    newest = versions[0]
    if newest.state == "refused":
        return f", and version {newest.number} of its program has failed its check"
    if newest.state == "new":
        return f", and version {newest.number} of its program has not been checked yet"
    if used:
        return f", and its program plays {used.game}"
    return ", and no version of its program is in use"


def _listed(names: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
