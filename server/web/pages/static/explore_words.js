// What is said of a search: numbers, names of nodes, and a sentence for each step.

import { INFINITY } from "./explore_recording.js";

const SIGNS = { "=": "", "<=": "≤ ", ">=": "≥ " }, BOUNDS = { "=": "", "<=": "at most ", ">=": "at least " };

// A value or a bound; infinity is ∞.
export function number(value) {
  if (Math.abs(value) >= INFINITY) return value > 0 ? "∞" : "−∞";
  return String(value).replace("-", "−");
}

// The same as a reader of the screen should say it.
export function spoken(text) { return text.replaceAll("−", "minus ").replaceAll("∞", "infinity").replaceAll("≤", "at most").replaceAll("≥", "at least"); }

export function list(names) { return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`; }

export function plural(count, noun) { return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`; }

export class Words {
  // typed: the tree that was searched, or null.  mover: numbers are those of the side to move, else those of Max.
  constructor(recording, typed, mover = false) { Object.assign(this, { recording, typed, mover, labels: recording.head.labels ?? {} }); }

  side(visit) { return this.recording.head.sides?.[this.recording.seatOf(visit)] ?? ["Max", "Min"][this.recording.seatOf(visit)]; }

  // What a node is called: by the book, by its number in a typed tree, else the move that led to it.
  name(visit) {
    const at = this.recording.columns.number[visit];
    return at >= 0 ? this.ofNumber(at) : this.recording.moveOf(visit) || "the root";
  }

  ofNumber(at) { return this.labels[at] ?? `#${at}`; }

  // A move that was not looked at.
  ofMove(visit, move) {
    const at = this.recording.columns.number[visit], child = at >= 0 && this.typed?.child(this.typed.nodes[at], move);
    return child ? this.ofNumber(child.number) : move;
  }

  left(visit) {
    const names = this.recording.left(visit).map((move) => this.ofMove(visit, move));
    return names.length > 6 ? `${names.slice(0, 4).join(", ")} and ${names.length - 4} more` : list(names);
  }

  value(visit) { return SIGNS[this.recording.sign(visit, this.mover)] + number(this.recording.seenBy(visit, this.mover)[2]); }

  // Alpha and beta of a visit as they are by a step; those it began with once it is done.
  bounds(visit, step) {
    const { recording, mover } = this;
    if (recording.isDone(visit, step) || recording.isAhead(visit, step)) return recording.seenBy(visit, mover).slice(0, 2);
    const { alpha, beta } = recording.known(visit, step);
    return mover && recording.seatOf(visit) ? [-beta, -alpha] : [alpha, beta];
  }

  window(visit, step) { return this.recording.hasWindows ? `[${this.bounds(visit, step).map(number).join(", ")}]` : ""; }

  // The best value so far of a visit that is open.
  best(visit, step) {
    const { best } = this.recording.known(visit, step);
    return best === null ? "" : number(this.mover && this.recording.seatOf(visit) ? -best : best);
  }

  // --- a sentence for what happens at a step

  // isWhole: with what it changes further up.
  step(step, isWhole = true) {
    const { visit, isEnd } = this.recording.at(step);
    const sentence = isEnd ? `${this.#end(visit)}${isWhole ? this.effect(visit, step) : ""}` : this.#begin(visit, step);
    return sentence.startsWith("the root") ? `The${sentence.slice(3)}` : sentence;
  }

  #begin(visit, step) {
    const { recording } = this, window = recording.hasWindows ? ` with the window ${this.window(visit, step)}` : "";
    if (recording.again[visit]) return `${this.name(visit)} is searched again${window}: the narrow window has shown only that it is better.`;
    if (recording.isLeaf(visit)) return `${this.name(visit)} is to be evaluated${window && `, called${window}`}.`;
    return `${this.name(visit)}, where ${this.side(visit)} is to move, is searched${window}.`;
  }

  #end(visit) {
    const { recording } = this, bound = BOUNDS[recording.sign(visit, this.mover)], value = number(recording.seenBy(visit, this.mover)[2]);
    const says = `${this.name(visit)} ${recording.isLeaf(visit) ? "is worth" : "returns"} ${bound}${value}.`;
    return recording.leftCount[visit] ? `${this.cut(visit)} ${says}` : says;
  }

  cut(visit) {
    const { recording } = this, names = this.left(visit), before = recording.finished(visit) - 1;
    const are = recording.leftCount[visit] === 1 ? "is" : "are";
    if (!recording.hasWindows) return `Cut: nothing is better than ${this.best(visit, before)}, so ${names} ${are} not looked at.`;
    const [alpha, beta] = this.bounds(visit, before);
    return `Cut: α = ${number(alpha)} is not below β = ${number(beta)}, so ${names} ${are} not looked at.`;
  }

  // What the end of a visit changes for its parent.
  effect(visit, step) {
    const parent = this.recording.parents[visit];
    if (parent < 0) return " The search is done.";
    if (this.recording.isOverruled(visit)) return " That lies inside the true window, so it is searched again with all of it.";
    const [before, after] = [this.bounds(parent, step - 1), this.bounds(parent, step)], at = before.findIndex((bound, side) => bound !== after[side]);
    if (!this.recording.hasWindows) {
      const [was, is] = [this.best(parent, step - 1), this.best(parent, step)];
      return was === is ? ` ${this.name(parent)} keeps ${is}.` : ` ${this.name(parent)} has ${is} now.`;
    }
    if (at < 0) return ` Nothing changes for ${this.name(parent)}.`;
    return ` At ${this.name(parent)} ${"αβ"[at]} ${at ? "falls" : "rises"} from ${number(before[at])} to ${number(after[at])}.`;
  }
}
