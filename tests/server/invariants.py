"""What must hold of a dispatcher whenever it is quiet, whatever its peers have said."""

from __future__ import annotations

from tabiya.server.core.state import Frozen
from tabiya.server.dispatcher import Dispatcher


def broken_invariants(dispatcher: Dispatcher) -> list[str]:
    """What does not fit together, one sentence each; empty if all is well."""
    return [*_seats(dispatcher), *_directory(dispatcher), *_lobby(dispatcher), *_spectators(dispatcher)]


def _seats(dispatcher: Dispatcher) -> list[str]:
    """Who plays where is the same from every side, and no seat stays reserved."""
    wrong = []
    running = [active for active in dispatcher.runner.running() if not isinstance(active.match.stage, Frozen)]
    for session in dispatcher.sessions.all():
        seated = {active.record.id for active in running if active.seat_of(session.bot.id) is not None}
        if session.matches.keys() != seated:
            wrong.append(f"{session.name} believes to play {list(session.matches)}, but plays {seated}")
        if dispatcher.matchmaker.reserved[session.bot.id]:
            wrong.append(f"{session.name} keeps {dispatcher.matchmaker.reserved[session.bot.id]} seats reserved")
    index = {bot: set(matches) for bot, matches in dispatcher.runner._of_bot.items()}
    players = {seat.bot_id for active in dispatcher.runner.running() for seat in active.record.seats}
    if set(index) != players:
        wrong.append(f"the runner knows matches of {set(index)}, but {players} play")
    if dispatcher.matchmaker._creating or +dispatcher.matchmaker.reserved:
        wrong.append(f"{dispatcher.matchmaker._creating} matches are forever being created")
    wrong += [f"match {active.record.id} has events left" for active in running if active.inbox or active.busy]
    return wrong


def _directory(dispatcher: Dispatcher) -> list[str]:
    sessions = dispatcher.sessions.all()
    wrong = [
        f"{session.name} is not found at its connection"
        for session in sessions
        if dispatcher.sessions.by_connection(session.connection) is not session
    ]
    if len(dispatcher.sessions._by_connection) != len(sessions):
        wrong.append("the directory has connections without sessions")
    return wrong


def _lobby(dispatcher: Dispatcher) -> list[str]:
    present, lobby = set(dispatcher.sessions.all()), dispatcher.matchmaker.lobby
    wrong = [f"{entry.session.name} is gone and still seeks" for entry in lobby.seeks() if entry.session not in present]
    wrong += [
        f"{entry.session.name} has a free seat that the lobby does not know of"
        for entry in lobby.seeks()
        if dispatcher.matchmaker._has_seat(entry.session) and entry.session.bot.id not in lobby._free
    ]
    return wrong + [
        f"challenge {challenge.number} is of somebody who is gone"
        for challenge in lobby._challenges.values()
        if not {challenge.challenger, challenge.challenged} - {None} <= present
    ]


def _spectators(dispatcher: Dispatcher) -> list[str]:
    spectators, lines = dispatcher.runner.spectators, {session.connection for session in dispatcher.sessions.all()}
    wrong = [f"{line.id} watches and is gone" for line in dispatcher._viewers if line not in lines]
    for match_id, audience in spectators._audiences.items():
        if dispatcher.runner.active(match_id) is None and audience.final is None:
            wrong.append(f"match {match_id} is watched and does not run")
        if not audience.viewers:
            wrong.append(f"match {match_id} has an audience of nobody")
    return wrong
