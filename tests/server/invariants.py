"""What must hold of a host whenever it is quiet, whatever its peers have said."""

from __future__ import annotations

from tabiya.server.core.state import Frozen
from tabiya.server.sessions.dispatcher import Host


def broken_invariants(host: Host) -> list[str]:
    """What does not fit together, one sentence each; empty if all is well."""
    return [*_seats(host), *_directory(host), *_lobby(host), *_spectators(host)]


def _seats(host: Host) -> list[str]:
    """Who plays where is the same from every side, and no seat stays reserved."""
    wrong = []
    running = [live for live in host.runner.running() if not isinstance(live.match.stage, Frozen)]
    for peer in host.directory.all():
        seated = {live.record.id for live in running if live.seat_of(peer.bot.id) is not None}
        if peer.matches != seated:
            wrong.append(f"{peer.name} believes to play {peer.matches}, but plays {seated}")
        if host.matchmaker.reserved[peer.bot.id]:
            wrong.append(f"{peer.name} keeps {host.matchmaker.reserved[peer.bot.id]} seats reserved")
    index = {bot: set(matches) for bot, matches in host.runner._of_bot.items()}
    players = {seat.bot_id for live in host.runner.running() for seat in live.record.seats}
    if set(index) != players:
        wrong.append(f"the runner knows matches of {set(index)}, but {players} play")
    if host.matchmaker._creating or +host.matchmaker.reserved:
        wrong.append(f"{host.matchmaker._creating} matches are for ever being created")
    wrong += [f"match {live.record.id} has events left" for live in running if live.inbox or live.busy]
    return wrong


def _directory(host: Host) -> list[str]:
    peers = host.directory.all()
    wrong = [
        f"{peer.name} is not found at its connection"
        for peer in peers
        if host.directory.at(peer.connection) is not peer
    ]
    if len(host.directory._by_connection) != len(peers):
        wrong.append("the directory has connections without peers")
    return wrong


def _lobby(host: Host) -> list[str]:
    present, lobby = set(host.directory.all()), host.matchmaker.lobby
    wrong = [f"{entry.peer.name} is gone and still seeks" for entry in lobby.seeks() if entry.peer not in present]
    return wrong + [
        f"challenge {challenge.number} is of somebody who is gone"
        for challenge in lobby._challenges.values()
        if not {challenge.challenger, challenge.challenged} <= present
    ]


def _spectators(host: Host) -> list[str]:
    spectators, lines = host.runner.spectators, {peer.connection for peer in host.directory.all()}
    wrong = [f"{line.session} watches and is gone" for line in host._viewers if line not in lines]
    for match_id, audience in spectators._audiences.items():
        if host.runner.live(match_id) is None and audience.final is None:
            wrong.append(f"match {match_id} is watched and does not run")
        if not audience.viewers:
            wrong.append(f"match {match_id} has an audience of nobody")
    return wrong
