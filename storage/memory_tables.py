"""The tables of the in-memory store: dictionaries that keep the rules which the databases keep.

They are the "disk": a store opened again over the same tables sees what was committed and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import asdict, replace

from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.derived import (
    folded,
    opening_moves,
    through_json,
)
from tabiya.storage.errors import (
    HostEnded,
    WriteRefused,
    conflicting_match,
    conflicting_move,
    conflicting_result,
    conflicting_step,
    host_ended,
    name_taken,
    no_successor,
    session_taken,
    unknown_bot,
    unknown_match,
    unknown_tournament,
)
from tabiya.storage.memory_programs import ProgramTables
from tabiya.storage.records import (
    LONGEST_ENDING,
    BotId,
    BotRecord,
    FailureRecord,
    HostRecord,
    MatchId,
    MatchRecord,
    MoveRecord,
    NewMatch,
    NewTournament,
    ResultRecord,
    ReviewRecord,
    SessionRecord,
    TournamentEntry,
    TournamentId,
    TournamentRecord,
    TournamentStep,
)
from tabiya.storage.writes import (
    AddProgram,
    AddWish,
    AppendAudit,
    AppendMove,
    BeginWishedGame,
    CloseSession,
    CreateBot,
    CreateMatch,
    CreateTournament,
    EndLease,
    FinishMatch,
    FreezeMatch,
    GrantLease,
    HostWrite,
    KeepExamination,
    KeepReview,
    MatchWrite,
    MoveMatches,
    OpenSession,
    ProlongLeases,
    PutSetting,
    RegisterHost,
    RenewLeases,
    RotateToken,
    SaveStep,
    SetRole,
    TakeBackWish,
    UseProgram,
    Write,
)


class MemoryTables(ProgramTables):
    """The committed rows."""

    def __init__(self) -> None:
        super().__init__()
        self.matches: dict[MatchId, MatchRecord] = {}
        self.moves: dict[MatchId, dict[int, MoveRecord]] = {}
        self.results: list[ResultRecord] = []
        self.failures: dict[MatchId, FailureRecord] = {}
        self.tournaments: dict[TournamentId, TournamentRecord] = {}
        self.settings: dict[str, str] = {}
        self.sessions: dict[str, SessionRecord] = {}
        self.hosts: dict[int, HostRecord] = {}
        self.reviews: dict[MatchId, ReviewRecord] = {}
        self.audit: list[AuditRecord] = []
        self.match_ids: dict[str, MatchId] = {}
        self._bot_ids: dict[str, BotId] = {}

    def apply(self, write: Write) -> Any:
        """Carry out one write as a whole or raise `StoreError` and change nothing; the verb's value."""
        match write:
            case AppendMove() | FinishMatch() | FreezeMatch():
                return self._apply_to_matches(write)
            case CreateMatch(new):
                return self._create_match(new)
            case CreateBot():
                return self._create_bot(write)
            case RotateToken() | SetRole():
                return self._change_bot(write)
            case OpenSession() | CloseSession():
                return self._apply_to_sessions(write)
            case AddProgram() | KeepExamination() | UseProgram():
                return self.apply_to_programs(write)
            case GrantLease() | RenewLeases() | ProlongLeases() | EndLease():
                return self.apply_to_leases(write)
            case AddWish() | BeginWishedGame() | TakeBackWish():
                return self.apply_to_wishes(write)
            case RegisterHost() | MoveMatches():
                return self._apply_to_hosts(write)
            case CreateTournament() | SaveStep():
                return self._apply_to_tournaments(write)
            case PutSetting(name, value):
                return self._put_setting(name, value)
            case KeepReview(match_id, judged_by, judged):
                return self._keep_review(match_id, judged_by, judged)
            case AppendAudit(record):
                details = through_json(record.details)
                self.audit.append(replace(record, id=len(self.audit) + 1, details=details))
                return None

    def with_plies(self, match: MatchRecord) -> MatchRecord:
        """The match with its number of plies filled in."""
        return replace(match, plies=max(self.moves[match.id], default=-1) + 1)

    # ---- matches

    def _apply_to_matches(self, write: MatchWrite) -> None:
        match write:
            case AppendMove(move):
                self._append_move(move)
            case FinishMatch():
                self._finish(write)
            case FreezeMatch(match_id, reason):
                self._freeze(match_id, reason)

    def _new_move(self, move: MoveRecord) -> MoveRecord | None:
        """The row to add; None if it is stored already.  Raises `WriteConflict`, `WriteRefused`."""
        if move.match_id not in self.matches:
            raise unknown_match(move.match_id)
        if move.ply < 0 or move.seat not in (0, 1):
            raise WriteRefused(f"match {move.match_id}: no ply {move.ply} of seat {move.seat} can be stored")
        if move.info is not None:
            # as it would come back from a database, or an equal row would be a conflict when it is written again
            move = replace(move, info=through_json(move.info))
        stored = self.moves[move.match_id].get(move.ply)
        if stored is None:
            return move
        if stored != move:
            raise conflicting_move(move)
        return None

    def _append_move(self, move: MoveRecord) -> None:
        new = self._new_move(move)
        if new is not None:
            self.moves[new.match_id][new.ply] = new

    def _finish(self, write: FinishMatch) -> None:
        result, move, failure = write.result, write.move, write.failure
        match = self.matches.get(result.match_id)
        if match is None:
            raise unknown_match(result.match_id)
        if not 0 < len(result.ending) <= LONGEST_ENDING or result.winner not in (0, 1, None):
            raise WriteRefused(f"match {match.id}: no result {result.ending!r}, winner {result.winner!r} can be stored")
        if failure is not None and failure.seat not in (0, 1):
            raise WriteRefused(f"match {match.id}: no failure of seat {failure.seat} can be stored")
        # looked at before anything is changed: a write is carried out whole or not at all
        new_move = self._new_move(move) if move is not None else None
        if write.goes_on is not None:
            self._check_new_match(write.goes_on)
        if match.result is None:
            self.results.append(result)
            self.matches[match.id] = replace(match, status="ended", result=result)
            if failure is not None:
                self.failures[match.id] = failure
        elif (match.result, self.failures.get(match.id)) != (result, failure):
            raise conflicting_result(result.match_id)
        if new_move is not None:
            self.moves[match.id][new_move.ply] = new_move
        if write.goes_on is not None:
            self._add_match(write.goes_on)

    def _freeze(self, match_id: MatchId, reason: str) -> None:
        match = self.matches.get(match_id)
        if match is None:
            raise unknown_match(match_id)
        if match.status == "running":
            self.matches[match_id] = replace(match, status="frozen", frozen_reason=reason)

    def _create_match(self, new: NewMatch) -> MatchId:
        self._check_new_match(new)
        return self._add_match(new)

    def _check_new_match(self, new: NewMatch) -> None:
        if any(seat.bot_id not in self.bots for seat in new.seats):
            raise WriteRefused(f"match {new.key!r}: one of its bots is not known")
        if new.tournament_id is not None and new.tournament_id not in self.tournaments:
            raise WriteRefused(f"match {new.key!r}: its tournament is not known")
        known = self.match_ids.get(new.key)
        if known is not None and self._match_record(known, new) != self._as_created(known, new.host):
            raise conflicting_match(new.key)

    def _as_created(self, match_id: MatchId, host: int) -> MatchRecord:
        # a repeated `create_match` may come when the match has gone on, or was moved
        return replace(self.matches[match_id], status="running", result=None, frozen_reason=None, host=host)

    def _match_record(self, match_id: MatchId, new: NewMatch) -> MatchRecord:
        fields = asdict(new)
        del fields["opening"]
        fields["options"] = through_json(new.options)
        fields["adjudication"] = None if new.adjudication is None else through_json(new.adjudication)
        first, second = (replace(seat, bot=self.bots[seat.bot_id].name) for seat in new.seats)
        return MatchRecord(id=match_id, **{**fields, "seats": (first, second)})

    def new_match_id(self, key: str) -> MatchId:
        """The id of a match that is added under this key."""
        return MatchId(len(self.matches) + 1)

    def _add_match(self, new: NewMatch) -> MatchId:
        known = self.match_ids.get(new.key)
        if known is not None:
            return known
        match_id = self.new_match_id(new.key)
        self.matches[match_id] = self._match_record(match_id, new)
        self.moves[match_id] = {move.ply: move for move in opening_moves(match_id, new)}
        self.match_ids[new.key] = match_id
        return match_id

    # ---- hosts

    def refusal(self, host: int) -> HostEnded | None:
        """Why a host may write nothing; None if it may, and for 0, the server."""
        known = self.hosts.get(host)
        if host == 0 or (known is not None and known.ended_at is None):
            return None
        return host_ended(host, known=known is not None)

    def _apply_to_hosts(self, write: HostWrite) -> int | None:
        if isinstance(write, RegisterHost):
            number = len(self.hosts) + 1
            self.hosts[number] = HostRecord(number=number, name=write.name, began_at=write.began_at)
            return number
        if not write.to:
            raise no_successor(write.host)
        host = self.hosts.get(write.host)
        if host is not None and host.ended_at is None:
            self.hosts[write.host] = replace(host, ended_at=write.ended_at)
        for match in self.matches.values():
            if match.host == write.host and match.status != "ended":
                self.matches[match.id] = replace(match, host=write.to[match.id % len(write.to)])
        return None

    # ---- bots and settings

    def _create_bot(self, new: CreateBot) -> BotRecord:
        known = self._bot_ids.get(folded(new.name))
        bot = BotRecord(
            id=known or BotId(len(self.bots) + 1),
            name=new.name,
            token_hash=new.token_hash,
            role=new.role,
            guest=new.guest,
            created_at=new.created_at,
        )
        if known is not None:
            if self.bots[known] != bot:
                raise name_taken(new.name)
            return self.bots[known]
        self._check_token_hash(bot.id, new.token_hash)
        self.bots[bot.id] = bot
        self._bot_ids[folded(new.name)] = bot.id
        return bot

    def _change_bot(self, write: RotateToken | SetRole) -> None:
        bot = self.bots.get(write.bot_id)
        if bot is None:
            raise unknown_bot(write.bot_id)
        if isinstance(write, SetRole):
            self.bots[bot.id] = replace(bot, role=write.role)
            return
        self._check_token_hash(bot.id, write.token_hash)
        self.bots[bot.id] = replace(bot, token_hash=write.token_hash, guest=bot.guest and write.token_hash is None)
        self.sessions = {key: session for key, session in self.sessions.items() if session.bot_id != bot.id}

    def _apply_to_sessions(self, write: OpenSession | CloseSession) -> None:
        if isinstance(write, OpenSession):
            self._open_session(write.session)
        else:
            self.sessions.pop(write.secret_hash, None)

    def _open_session(self, session: SessionRecord) -> None:
        if session.bot_id is not None and session.bot_id not in self.bots:
            raise unknown_bot(session.bot_id)
        if self.sessions.get(session.secret_hash, session) != session:
            raise session_taken()
        self.sessions[session.secret_hash] = session
        self.sessions = {key: each for key, each in self.sessions.items() if each.expires_at >= session.created_at}

    def _check_token_hash(self, bot_id: BotId, token_hash: str | None) -> None:
        if token_hash is not None and any(b.token_hash == token_hash and b.id != bot_id for b in self.bots.values()):
            raise WriteRefused("another bot has this token")

    def _put_setting(self, name: str, value: str) -> None:
        self.settings[name] = value

    def _keep_review(self, match_id: MatchId, judged_by: str, judged: str) -> None:
        if match_id not in self.matches:
            raise unknown_match(match_id)
        self.reviews[match_id] = ReviewRecord(judged_by=judged_by, judged=judged)

    # ---- tournaments

    def _apply_to_tournaments(self, write: CreateTournament | SaveStep) -> TournamentId | tuple[MatchId, ...]:
        if isinstance(write, CreateTournament):
            return self._create_tournament(write.tournament)
        return self._save_step(write.step)

    def _create_tournament(self, new: NewTournament) -> TournamentId:
        # the same order again, whose answer was lost; as the unique constraint of the databases has it
        for stored in self.tournaments.values():
            if (stored.name, stored.created_at) == (new.name, new.created_at):
                return stored.id
        tournament = TournamentRecord(
            id=TournamentId(len(self.tournaments) + 1),
            name=new.name,
            game=new.game,
            format=new.format,
            settings=through_json(new.settings),
            seed=new.seed,
            status="created",
            step=0,
            state=through_json(new.state),
            entries=self._merged((), new.entries),
            created_at=new.created_at,
        )
        self.tournaments[tournament.id] = tournament
        return tournament.id

    def _merged(
        self, stored: Iterable[TournamentEntry], changed: Iterable[TournamentEntry]
    ) -> tuple[TournamentEntry, ...]:
        entries = {entry.number: entry for entry in stored}
        for entry in changed:
            if entry.bot_id not in self.bots:
                raise WriteRefused(f"entry {entry.number}: there is no bot {entry.bot_id}")
            entries[entry.number] = replace(entry, bot=self.bots[entry.bot_id].name)
        return tuple(entries[number] for number in sorted(entries))

    def _save_step(self, step: TournamentStep) -> tuple[MatchId, ...]:
        stored = self.tournaments.get(step.tournament_id)
        if stored is None:
            raise unknown_tournament(step.tournament_id)
        state = through_json(step.state)
        for new in step.matches:  # all of them before the first change
            self._check_new_match(new)
        if step.step == stored.step:
            if (state, step.status) != (stored.state, stored.status):
                raise conflicting_step(step)
        elif step.step == stored.step + 1:
            self.tournaments[stored.id] = replace(
                stored,
                status=step.status,
                step=step.step,
                state=state,
                name=stored.name if step.name is None else step.name,
                settings=stored.settings if step.settings is None else through_json(step.settings),
                entries=self._merged(stored.entries, step.entries),
                started_at=stored.started_at if step.started_at is None else step.started_at,
                ended_at=stored.ended_at if step.ended_at is None else step.ended_at,
            )
        else:
            raise conflicting_step(step)
        return tuple(self._add_match(new) for new in step.matches)
