"""A tournament of any format played out by chance: who is there, which game ends next, entries, withdrawals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import msgspec
from msgspec.structs import replace

from tabiya.server.pairing import Format, Plan, games
from tabiya.server.pairing.state import Mark, PairingState, ScheduledGame

Result = Callable[[ScheduledGame], int | None]
MOST_STEPS = 20_000


class Played:
    """One tournament under way. `step` lets something happen; `out` goes on to the end.

    slots: games at once.  absent, abort, gone, back, crash: chances per step that a free entrant is away, that a game
    comes to nothing, that an entrant withdraws, that one of those comes back, that the server is killed.  late:
    entrants that come while it runs.
    """

    def __init__(
        self,
        form: Format,
        plan: Plan,
        seed: int,
        *,
        result: Result | None = None,
        slots: int = 3,
        absent: float = 0.2,
        abort: float = 0.1,
        gone: float = 0.0,
        back: float = 0.0,
        crash: float = 0.0,
        late: int = 0,
        most_gone: int | None = None,
    ) -> None:
        self.form, self.plan, self.draw, self.slots = form, plan, Random(seed), slots
        self.absent, self.abort, self.gone, self.crash, self.late = absent, abort, gone, crash, late
        self.back = back
        self.most_gone = plan.entrants if most_gone is None else most_gone
        self.result = result or (lambda game: self.draw.choice((0, 1, None)))
        self.state = form.begin(plan)
        self.running: dict[int, ScheduledGame] = {}
        self.results: Counter[int] = Counter()
        self.after_advance: list[PairingState] = []

    def out(self) -> Played:
        """To the end."""
        for _ in range(MOST_STEPS):
            if self.over():
                return self
            self.step()
        raise AssertionError(f"no end: {self.state}")

    def over(self) -> bool:
        """Whether nothing is left to be played, after all that follows has been drawn up."""
        while self.form.can_advance(self.plan, self.state):
            self.state = self.form.advance(self.plan, self.state)
            self.after_advance.append(self.state)
        return self.form.is_over(self.plan, self.state) and not self.running

    def step(self) -> None:
        """Start what can start, then let one thing happen."""
        self._start()
        if self.draw.random() < self.crash:
            self._crash()
        if self.late and self.draw.random() < 0.1:
            self.late -= 1
            self.plan = replace(self.plan, entrants=self.plan.entrants + 1)
            self.state = self.form.with_late_entrant(self.plan, self.state)
        if self.draw.random() < self.gone and len(self.state.withdrawn) < self.most_gone:
            self.state = self.form.with_withdrawal(self.plan, self.state, self.draw.randrange(self.plan.entrants))
        if self.draw.random() < self.back and self.state.withdrawn and self.form.accepts_entries(self.plan, self.state):
            self.state = self.form.with_return(self.plan, self.state, self.draw.choice(self.state.withdrawn))
        if self.running:
            self._end(self.draw.choice(sorted(self.running)))

    def _start(self) -> None:
        if self.form.is_over(self.plan, self.state):
            return
        busy = {entrant for game in self.running.values() for entrant in (game.first, game.second)}
        free = {
            entrant: 1
            for entrant in range(self.plan.entrants)
            if entrant not in busy and self.draw.random() >= self.absent
        }
        slots = self.slots - len(self.running)
        if slots <= 0:
            return
        self.state = self.form.pair_free(self.plan, self.state, free, slots)
        for game in self.form.startable(self.plan, self.state, free, slots):
            assert game.first in free
            assert game.second in free
            assert not {game.first, game.second} & busy
            busy |= {game.first, game.second}
            self.state, self.running[game.number] = games.started(self.state, game.number), game
        assert len(self.running) <= self.slots

    def _end(self, number: int) -> None:
        game = self.running.pop(number)
        if self.draw.random() < self.abort:
            self.state = self.form.with_forfeits(self.plan, games.replayed(self.state, number))
        else:
            self.state = games.finished(self.state, number, self.result(game))
            self.results[number] += 1

    def _crash(self) -> None:
        """What is stored is read back; the running matches go on."""
        stored = msgspec.json.encode(self.state)
        state = games.nothing_running(msgspec.json.decode(stored, type=PairingState))
        for number in self.running:
            state = games.started(state, number)
        assert state == self.state

    def check(self) -> None:
        """Each game has one result, or was forfeited and never played."""
        for number, mark in enumerate(self.state.marks):
            assert mark not in (Mark.PENDING, Mark.RUNNING)
            assert self.results[number] == int(mark in "10=")
        assert len(self.state.marks) == 2 * len(self.form.meetings(self.plan, self.state))
