// Two clocks, one of which may run.

const TICK_MS = 100, LOW_MS = 10000;
const SAID_S = [60, 30, 10]; // left on one's own clock, said aloud once each

export function clockText(ms) {
  const tenths = Math.floor(Math.max(0, ms) / 100), seconds = Math.floor(tenths / 10), minutes = Math.floor(seconds / 60);
  const two = (number) => String(number).padStart(2, "0");
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return minutes ? `${minutes}:${two(seconds % 60)}` : `${seconds}.${tenths % 10}`;
}

export class Clocks {
  // find: the element of the clock `near` or `far`.  say: is told when one's own has little left.
  constructor(find, say = () => {}) {
    [this.find, this.say, this.state, this.said] = [find, say, null, Infinity];
    setInterval(() => this.#draw(), TICK_MS);
  }

  // both: milliseconds by seat at the start of this turn, null without clocks.
  set(both, seat, toMove, thinkingMs) {
    this.state = both && { both, seat, toMove, since: performance.now() - thinkingMs };
    this.said = both ? both[seat] / 1000 : Infinity; // what a new clock has not is not said
    for (const which of ["near", "far"]) this.find(which).hidden = !both;
    this.#draw();
  }

  stop() {
    if (this.state) this.set(this.#now(), this.state.seat, null, 0);
  }

  #now() {
    const { both, toMove, since } = this.state;
    return both.map((ms, seat) => (seat === toMove ? ms - (performance.now() - since) : ms));
  }

  #draw() {
    if (!this.state) return;
    const now = this.#now(), { seat, toMove } = this.state;
    for (const [which, of] of [["near", seat], ["far", 1 - seat]]) {
      const element = this.find(which), runs = of === toMove;
      element.textContent = clockText(now[of]);
      element.classList.toggle("runs", runs);
      element.classList.toggle("low", runs && now[of] < LOW_MS);
    }
    const left = now[seat] / 1000, due = SAID_S.filter((at) => left <= at && at < this.said).at(-1);
    if (due && toMove === seat) {
      this.said = due;
      this.say(`${due} seconds left.`);
    }
  }
}
