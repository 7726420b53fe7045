"""One run: a private server, an account and a process for every entry, the games against staff, qualifier, final.

Every step is written into the record before the next; a run that was interrupted anywhere goes on from there. The games
themselves are the server's, which loses none.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabiya.api_client.api import Api
from tabiya.api_client.settings import ClientSettings
from tabiya.classroom.bot_processes import BotProcess, BotProcesses, Say
from tabiya.classroom.record import NO_QUALIFIER, ResourceUsage, RunRecord, save
from tabiya.classroom.staff import Score
from tabiya.errors import UserError
from tabiya.processes.child_processes import ChildProcesses, wait_for_json

DATABASE = "class.db"
READY_S = 300.0  # rules may have to be compiled
CONNECT_S = 60.0
START_EACH_S = 6.0  # of a core, for two interpreters that load our rules: 2.3 on the machine where it was measured
LOOK_S = 0.25
NO_SHOW_S = 60.0  # longer than a program takes to be started again after a crash
ALL_MEET, STAFF_MEETS_ALL = "round_robin", "gauntlet"
OVER = ("ended", "cancelled")

Progress = Callable[[int, str, int, int], None]


class ClassTournament:
    """A class tournament being played."""

    def __init__(self, into: Path, record: RunRecord, say: Say, progress: Progress) -> None:
        """into: the run's folder.  progress: tournament, its name, games played, games in all."""
        self._into, self._record, self._say, self._progress = into, record, say, progress
        self._api: Api

    def play(self, host: str, pages_port: int) -> None:
        """Play what is left to play. Raises UserError, OSError.

        host, pages_port: where people can look on; orders need the operator's token, of which no program is told.
        """
        record = self._record
        if not record.needed:  # nothing is new
            record.standings["staff"], record.over = record.kept, True
            self._save()
            return
        record.operator_token = record.operator_token or secrets.token_urlsafe(32)
        record.invite_secret = record.invite_secret or secrets.token_urlsafe(32)
        self._save()  # before the server is told: a run that is interrupted goes on with the same secrets
        with ChildProcesses(self._into / "logs") as children:
            addresses = self._serve(children, host, pages_port)
            self._api = Api(ClientSettings(addresses["pages"], operator_token=record.operator_token))
            self._say(f"watch it at {addresses['pages']}/tournaments")
            self._register()
            with BotProcesses(self._programs(addresses["websocket"]), self._say) as programs:
                look = self._looker(children, programs)
                for program in programs:
                    program.start()
                self._wait_for_bots(look)
                self._stages(look)
        record.over = True
        self._save()

    def _save(self) -> None:
        save(self._into, self._record)

    def _serve(self, children: ChildProcesses, host: str, pages_port: int) -> dict[str, Any]:
        ready = self._into / "addresses.json"
        ready.unlink(missing_ok=True)  # of a server that was killed
        arguments = ["serve", "--closed", "--host", host, "--port", "0", "--pages-port", str(pages_port)]
        arguments += ["--database", str(self._into / DATABASE), "--ready-file", str(ready), "--log-level", "warning"]
        environment = {
            "TABIYA_OPERATOR_TOKEN": self._record.operator_token,
            "TABIYA_INVITE_SECRET": self._record.invite_secret,
            "TABIYA_LOCAL_ORDERS": "false",  # the bots run on this machine too, and are not to give orders
        }
        children.start("server", arguments, environment)
        return wait_for_json(ready, children, READY_S)

    def _register(self) -> None:
        """An account for every entry that has none yet; whose name is refused does not play."""
        for entry in self._record.players:
            if entry.token:
                continue
            try:
                answer = self._api.post("/api/register", {"name": entry.name, "invite": self._record.invite_secret})
            except UserError as error:
                if entry.is_staff:  # without it nobody could earn its points
                    raise UserError(f"{entry.name} cannot play: {error}") from None
                entry.problem = f"its name cannot be used: {error}"
                self._say(f"{entry.name} does not play: {error}")
            else:
                entry.name, entry.token = str(answer["name"]), str(answer["token"])
            self._save()  # each at once: the server tells a token only once

    def _programs(self, websocket: str) -> list[BotProcess]:
        (self._into / "logs").mkdir(exist_ok=True)
        usage, rules = self._record.usage, self._record.rules
        return [
            BotProcess(entry, rules, self._into, websocket, usage.setdefault(entry.name, ResourceUsage()))
            for entry in self._record.needed
        ]

    def _looker(self, children: ChildProcesses, programs: BotProcesses) -> Callable[[], None]:
        def look() -> None:
            children.check()
            programs.look()
            time.sleep(LOOK_S)

        return look

    def _wait_for_bots(self, look: Callable[[], None]) -> None:
        """Until all are connected, or the time for it is over."""
        names = {entry.name for entry in self._record.needed}
        wait_s = CONNECT_S + len(names) * START_EACH_S / (os.cpu_count() or 1)
        deadline = time.monotonic() + wait_s
        while missing := names - self._connected():
            if time.monotonic() > deadline:
                self._say(f"not there after {wait_s:.0f} seconds: {', '.join(sorted(missing))}")
                return
            look()

    def _connected(self) -> set[str]:
        return {bot["name"] for bot in self._api.get("/api/bots")["bots"] if bot["connected"]}

    def _stages(self, look: Callable[[], None]) -> None:
        record = self._record
        rules = record.rules
        if rules.staff:
            self._staff_stage(look)
        if rules.format == NO_QUALIFIER:
            return
        if record.qualifier is None:
            names = [entry.name for entry in record.competitors]
            record.qualifier = self._create("qualifier", rules.format, names, rules.rounds)
        self._follow("qualifier", record.qualifier, look)
        finalists = self._finalists()
        if not finalists:
            return
        if record.final is None:
            record.final = self._create("final", ALL_MEET, finalists, rules.final_rounds)
        self._follow("final", record.final, look)

    def _staff_stage(self, look: Callable[[], None]) -> None:
        """Every submission meets every staff bot, unless it has in an earlier run; what came of it is kept."""
        record = self._record
        if record.new_to_staff:
            staff = [entry.name for entry in record.players if entry.is_staff]
            if record.staff is None:
                names = [*staff, *(entry.name for entry in record.new_to_staff)]
                rounds = record.rules.staff_rounds
                record.staff = self._create("staff", STAFF_MEETS_ALL, names, rounds, challengers=len(staff))
            lines = self._follow("staff", record.staff, look)
            record.staff_scores |= staff_scores(lines, staff)
            for line in lines:
                if line["bot"] in staff and line["withdrawn"]:
                    self._say(f"{line['bot']} was withdrawn: games that it did not play count as won by its opponents")
        new = [line for line in record.standings.get("staff", []) if line not in record.kept]
        record.standings["staff"] = [*new, *record.kept]
        self._save()

    def _finalists(self) -> list[str]:
        """The best of the qualifier that have not withdrawn; none if there is no final, or fewer than two."""
        lines = self._record.standings["qualifier"]
        names = [str(line["bot"]) for line in lines if not line["withdrawn"]][: self._record.rules.final]
        return names if len(names) > 1 else []

    def _create(self, stage: str, form: str, names: list[str], rounds: int, **more: int) -> int:
        """The number of the stage's tournament: one that exists already under its name, or a new one.

        more: what else its order says.
        """
        rules = self._record.rules
        name = f"{stage.capitalize()} {rules.game}"
        if self._record.number > 1:
            name += f", run {self._record.number}"
        for known in self._api.get("/api/tournaments")["tournaments"]:
            if known["name"] == name:  # created before the record could be written
                return int(known["id"])
        order = {
            **more,
            "name": name,
            "game": rules.game,
            "format": form,
            "bots": names,
            "time_control": rules.time_control,
            "rounds": rounds,
            "seed": rules.seed,
            "no_show_s": NO_SHOW_S,
        }
        return int(self._api.post("/api/tournaments", order)["id"])

    def _follow(self, stage: str, number: int, look: Callable[[], None]) -> list[dict[str, Any]]:
        """Until the tournament is over; then its standings are kept. Its lines, as the server says them."""
        self._save()  # its number, as soon as there is one
        while True:
            found = self._api.get(f"/api/tournaments/{number}")
            self._progress(number, found["name"], found["played"], found["total"])
            if found["status"] in OVER:
                break
            look()
        keep = ("rank", "bot", "points", "played", "wins", "draws", "losses", "withdrawn")
        lines: list[dict[str, Any]] = found["lines"]
        self._record.standings[stage] = [{key: line[key] for key in keep} for line in lines]
        self._save()
        return lines


def staff_scores(lines: Sequence[Mapping[str, Any]], staff: Sequence[str]) -> dict[str, dict[str, Score]]:
    """Points and games of every submission against every staff bot. lines: of the table, as the server says them."""
    numbers = {line["bot"]: line["number"] for line in lines}
    return {
        line["bot"]: {
            name: (float(score["points"]), int(score["games"]))
            for name in staff
            if (score := line["against"][numbers[name]]) is not None
        }
        for line in lines
        if line["bot"] not in staff
    }
