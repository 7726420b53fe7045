// The calls that lead to a visit, each with all its lines and variables; what has been asked for is kept.

import { asked } from "./explore_question.js";

const MOST_KEPT = 400, WAIT_MS = 120;

export class Calls {
  constructor(question, recording) { [this.question, this.recording, this.kept, this.timer] = [question, recording, new Map(), null]; }

  // The visits that are open at a step, or end there, the innermost last.
  open(step) { return this.recording.path(this.recording.at(step).visit); }

  has(step) { return this.open(step).every((visit) => this.kept.has(visit)); }

  // Asks for the calls of a step, and then for those of the next one. Resolves once those of the step are here.
  async load(step) {
    if (!this.has(step)) await this.#ask(this.recording.at(step).visit);
    const next = Math.min(step + 1, this.recording.steps - 1);
    clearTimeout(this.timer);
    if (!this.has(next)) this.timer = setTimeout(() => this.#ask(this.recording.at(next).visit).catch(() => {}), WAIT_MS);
  }

  async #ask(visit) {
    const { calls } = await (await asked("calls", this.question, { visit })).json();
    if (this.kept.size > MOST_KEPT) this.kept.clear();
    for (const call of calls) this.kept.set(call.visit, call);
  }

  // The places that the listing passes from a step to the next one, each { visit, line, variables }: the first is that of the step
  // itself. Null where the calls are not here yet.
  places(step) {
    if (!this.has(step)) return null;
    const { visit, isEnd } = this.recording.at(step), owner = isEnd ? this.recording.parents[visit] : visit, first = isEnd ? [this.#end(visit)] : [];
    if (owner < 0) return first;
    const { lines } = this.kept.get(owner), next = step + 1 < this.recording.steps ? this.recording.at(step + 1) : null;
    const from = isEnd ? this.#calling(owner, visit) + 1 : 0, to = next && !next.isEnd ? this.#calling(owner, next.visit) : lines.length - 1;
    return [...first, ...lines.slice(from, to + 1).map(([line, variables]) => ({ visit: owner, line, variables }))];
  }

  #end(visit) {
    const [line, variables] = this.kept.get(visit).returned;
    return { visit, line, variables };
  }

  // Which line of a call has called for a visit.
  #calling(owner, visit) { return this.kept.get(owner).lines.findIndex(([, , below]) => below.includes(visit)); }

  // The calls from the root to a place, each { visit, name, line }.
  stack(step, place) {
    const open = this.open(step), upTo = open.indexOf(place.visit);
    return open.slice(0, upTo + 1).map((visit, at) => ({
      visit, name: this.kept.get(visit).function,
      line: at === upTo ? place.line : this.kept.get(visit).lines[this.#calling(visit, open[at + 1])][0],
    }));
  }
}
