"""One run: a private server, an account and a process for every entry, the games against staff, qualifier, final.

Every step is written into the record before the next; a run that was interrupted anywhere goes on from there. The games
themselves are the server's, which loses none.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabiya.api_client.api import Api
from tabiya.api_client.settings import ClientSettings
from tabiya.classroom.bot_processes import BotProcess, BotProcesses, Say
from tabiya.classroom.record import NO_QUALIFIER, Entry, ResourceUsage, RunRecord, save
from tabiya.errors import UserError
from tabiya.processes.child_processes import ChildProcesses, wait_for_json
from tabiya.server.grading.formula import Score
from tabiya.server.grading.game_counts import withdrawn_staff
from tabiya.server.tournaments.settings import cores

DATABASE = "class.db"
READY_S = 300.0  # rules may have to be compiled
POLL_S = 0.25
NEVER_S = 86_400.0  # we withdraw absent bots: the server cannot know which have yet to be started
ALL_MEET, STAFF_MEETS_ALL, SWISS = "round_robin", "gauntlet", "swiss"
OVER = ("ended", "cancelled")

Progress = Callable[[int, str, int, int], None]


class ClassTournament:
    """A class tournament being played."""

    def __init__(self, into: Path, record: RunRecord, say: Say, progress: Progress) -> None:
        """into: the run's folder.  progress: tournament, its name, games played, games in all."""
        self._into, self._record, self._say, self._progress = into, record, say, progress
        self._api: Api
        self._children: ChildProcesses
        self._programs: BotProcesses
        self._withdrawn: set[tuple[int, str]] = set()

    def play(self, host: str, pages_port: int) -> None:
        """Play the remaining games. Raises UserError, OSError.

        host, pages_port: where people can look on; orders need the operator's token, which no program gets.
        """
        record = self._record
        if not record.needed:  # nothing is new
            record.standings["staff"], record.over = record.kept, True
            self._save()
            return
        record.operator_token = record.operator_token or secrets.token_urlsafe(32)
        record.invite_secret = record.invite_secret or secrets.token_urlsafe(32)
        self._save()  # before the server gets them: an interrupted run continues with the same secrets
        with ChildProcesses(self._into / "logs") as children:
            addresses = self._serve(children, host, pages_port)
            self._api = Api(ClientSettings(addresses["pages"], operator_token=record.operator_token))
            self._say(f"watch it at {addresses['pages']}/tournaments")
            self._register()
            self._children = children
            with BotProcesses(self._bots(addresses["websocket"]), self._say) as self._programs:
                self._stages()
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
                answer = self._api.post("/register", {"name": entry.name, "invite": self._record.invite_secret})
            except UserError as error:
                if entry.is_staff:  # without it its points cannot be earned
                    raise UserError(f"{entry.name} cannot play: {error}") from None
                entry.problem = f"its name cannot be used: {error}"
                self._say(f"{entry.name} does not play: {error}")
            else:
                entry.name, entry.token = str(answer["name"]), str(answer["token"])
            self._save()  # each at once: the server tells a token only once

    def _bots(self, websocket: str) -> list[BotProcess]:
        """In the order in which they are needed."""
        (self._into / "logs").mkdir(exist_ok=True)
        usage, rules = self._record.usage, self._record.rules
        needed = self._record.needed
        if rules.format == SWISS and not rules.staff:
            needed = in_pairs(needed)
        return [
            BotProcess(entry, rules, self._into, websocket, usage.setdefault(entry.name, ResourceUsage()))
            for entry in needed
        ]

    def _check(self, free_cores: int) -> None:
        self._children.check()
        self._programs.start_some(free_cores)
        self._programs.check_all(self._connected)
        time.sleep(POLL_S)

    def _wait_for_all(self) -> None:
        while not self._programs.have_come:
            self._check(cores())
        if away := self._programs.away:
            self._say(f"not there: {', '.join(away)}")

    def _connected(self) -> set[str]:
        return {bot["name"] for bot in self._api.listed("bots") if bot["connected"]}

    def _stages(self) -> None:
        record = self._record
        rules = record.rules
        if rules.staff:
            self._staff_stage()
        if rules.format == NO_QUALIFIER:
            return
        if rules.format != SWISS:  # any two may meet next: all play when all are there
            self._wait_for_all()
        if record.qualifier is None:
            names = [entry.name for entry in record.competitors]
            record.qualifier = self._create("qualifier", rules.format, names, rules.rounds)
        self._follow("qualifier", record.qualifier)
        finalists = self._finalists()
        if not finalists:
            return
        if record.final is None:
            record.final = self._create("final", ALL_MEET, finalists, rules.final_rounds)
        self._follow("final", record.final)

    def _staff_stage(self) -> None:
        """Every submission meets every staff bot, unless it has in an earlier run; the results are kept."""
        record = self._record
        if record.new_to_staff:
            staff = [entry.name for entry in record.players if entry.is_staff]
            if record.staff is None:
                names = [*staff, *(entry.name for entry in record.new_to_staff)]
                rounds = record.rules.staff_rounds
                record.staff = self._create("staff", STAFF_MEETS_ALL, names, rounds, challengers=len(staff))
            lines = self._follow("staff", record.staff)
            record.staff_scores |= staff_scores(lines, staff)
            for line in lines:
                if line["bot"] in staff and line["withdrawn"]:
                    self._say(withdrawn_staff(line["bot"]))
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
        for known in self._api.listed("tournaments"):
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
            "no_show_s": NEVER_S,
        }
        return int(self._api.post("/tournaments", order)["id"])

    def _follow(self, stage: str, number: int) -> list[dict[str, Any]]:
        """Wait for the end of the tournament and keep its standings; returns its lines from the server."""
        self._save()  # its number, as soon as there is one
        while True:
            known = self._api.listed("tournaments")  # short, whatever the size of the class
            [found] = [line for line in known if line["id"] == number]
            self._progress(number, found["name"], found["played"], found["total"])
            if found["status"] in OVER:
                break
            self._withdraw_away(number)
            self._check(cores() - found["running"])  # loading programs must not slow down those that play
        lines: list[dict[str, Any]] = self._api.get(f"/tournaments/{number}")["lines"]
        keep = ("rank", "bot", "points", "played", "wins", "draws", "losses", "withdrawn")
        self._record.standings[stage] = [{key: line[key] for key in keep} for line in lines]
        self._save()
        return lines

    def _withdraw_away(self, number: int) -> None:
        """Each once."""
        for name in self._programs.away:
            if (number, name) not in self._withdrawn:
                self._withdrawn.add((number, name))
                with contextlib.suppress(UserError):  # it is not entered there, or the tournament has just ended
                    self._api.post(f"/tournaments/{number}/withdraw", {"bot": name})
                    self._say(f"{name} is away and is withdrawn")


def in_pairs(entries: Sequence[Entry]) -> list[Entry]:
    """In the order in which the first round of a Swiss pairs them: the first of both halves, the second, and so on."""
    half = len(entries) // 2
    return [entry for pair in zip(entries[:half], entries[half:], strict=False) for entry in pair] + list(
        entries[2 * half :]
    )


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
