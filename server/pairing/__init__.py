"""Tournament formats as pure functions: results in, pairings and crosstables out. No clock, store or randomness.

    form, plan = FORMATS["round_robin"], Plan(entrants=5, rounds=1)
    state = form.begin(plan)
    for game in form.startable(plan, state, free={0: 1, 1: 1, 2: 1}, slots=2): state = started(state, game.number)
    state = finished(state, game.number, winner=0)
    while form.can_advance(plan, state): state = form.advance(plan, state)

One module for each family of formats behind one interface (`format.py`); running them with real bots is the work of
server/tournaments/. docs/reference/tournaments.md describes how each format is played.
"""

from __future__ import annotations

from tabiya.server.pairing.format import Format
from tabiya.server.pairing.knockout import Knockout
from tabiya.server.pairing.ladder import Ladder
from tabiya.server.pairing.round_robin import Gauntlet, RoundRobin
from tabiya.server.pairing.sprt import Sprt
from tabiya.server.pairing.state import Plan
from tabiya.server.pairing.swiss import Swiss

_ALL: tuple[Format, ...] = (RoundRobin(), Gauntlet(), Swiss(), Knockout(), Ladder(), Sprt())
FORMATS: dict[str, Format] = {form.name: form for form in _ALL}
"""Every format by its name."""

__all__ = ["FORMATS", "Format", "Plan"]
