// Question mode: before a bound, a cut or a value is shown the reader is asked for it; answers are checked, counted and explained.

import { byId, made } from "./dom.js";
import { INFINITY } from "./explore_recording.js";
import { number, plural } from "./explore_words.js";

const MOST_MOVES = 8, SOMETIMES = 3;
const HINT = "Step forward: you are asked for each bound, cut and value before it is shown.";

// What is to be asked between a step and the next one: { kind, visit, text, answer, why } with options of moves, or for a number.
export function questionsAfter({ recording, words, mover, last }, step) {
  if (step >= last) return [];
  const now = recording.at(step), next = recording.at(step + 1), found = [], at = now.isEnd ? recording.parents[now.visit] : now.visit;
  const name = words.name(at), isEnding = next.isEnd && next.visit === at, left = now.isEnd ? remaining(recording, words, at, now.visit, step) : [];
  const isCut = isEnding && recording.leftCount[at] > 0, overruled = now.isEnd && recording.isOverruled(now.visit);
  if (now.isEnd && recording.hasWindows && !overruled && (isCut || !isEnding)) found.push(bound(recording, words, mover, at, now.visit, step));
  if (left.length && !overruled && (isCut || step % SOMETIMES === 0)) found.push({
    kind: "cut", visit: at, text: `${words.name(now.visit)} has returned. Which moves are cut at ${name} now?`, options: left, answer: isCut ? left : [],
    why: isCut ? words.cut(at) : `Nothing is cut: ${recording.hasWindows ? `α is still below β at ${name}` : "a better value may come"}.`,
  });
  if (isEnding && !recording.isLeaf(at)) found.push({
    kind: "value", visit: at, text: `Which value does ${name} return?`, answer: recording.seenBy(at, mover)[2], why: words.step(step + 1, false),
  });
  return found;
}

function bound(recording, words, mover, visit, child, step) {
  const side = mover || recording.seatOf(visit) === 0 ? 0 : 1, bounds = words.bounds(visit, step);
  return { kind: "window", visit, text: `What is ${"αβ"[side]} at ${words.name(visit)} now?`, answer: bounds[side], why: words.effect(child, step).trim() };
}

// The names of the moves of a visit that have not been looked at by a step.
function remaining(recording, words, visit, child, step) {
  const ahead = recording.below(visit).filter((each) => recording.isAhead(each, step) && !recording.again[each]).map((each) => words.name(each));
  return [...ahead, ...recording.left(visit).map((move) => words.ofMove(visit, move))];
}

export class Quiz {
  // page: side, go(step), compare(null).  Button: #ask-mode.
  constructor(page) {
    Object.assign(this, { page, answered: new Set(), right: 0, wrong: 0, at: -1, asking: null });
    byId("ask-mode").addEventListener("click", () => this.turn(!page.isAsking));
  }

  turn(on) {
    const { page } = this;
    Object.assign(this, { answered: new Set(), right: 0, wrong: 0 });
    page.isAsking = on;
    byId("ask-mode").ariaPressed = String(on);
    if (on && page.sides.length > 1) return void page.change(page.sides[0].question, null);
    this.begin();
    page.go(page.side.step);
  }

  // For the side that is shown now.
  begin() {
    const { side, isAsking } = this.page;
    side.hides = (visit, what) => isAsking && this.#open(side.step).some((each) => each.visit === visit && each.kind === what);
    side.part("ask").hidden = !isAsking;
    this.close();
  }

  // The questions after a step that have not been answered.
  #open(step) { return questionsAfter(this.page.side, step).filter(({ kind }) => !this.answered.has(`${step} ${kind}`)); }

  // A step on, or the question that stands before it.
  on() {
    const { side } = this.page, [next] = this.#open(side.step);
    if (next) this.#ask(next, side.step);
    else this.page.go(Math.min(side.last, side.step + 1));
  }

  // Nothing is asked; called after every step.
  close() {
    if (!this.page.isAsking) return;
    const score = made("p", `${this.right} right, ${this.wrong} wrong. `, { class: "note" });
    score.append(HINT);
    this.page.side.part("ask").replaceChildren(score);
  }

  #ask(question, step) {
    const form = made("form"), fields = question.options ? choices(question.options) : [made("input", "", { name: "answer", inputmode: "numeric", size: 8, autocomplete: "off", required: "", "aria-label": "answer" })];
    const label = made("p", question.text, { class: "strong" }), line = made("div", "", { class: "actions" }), skip = made("button", "Skip", { type: "button" });
    line.append(...fields, made("button", "Answer", { class: "primary" }), skip);
    form.append(label, line);
    form.addEventListener("submit", (event) => { event.preventDefault(); this.#check(question, step, given(form, question)); });
    skip.addEventListener("click", () => this.#tell(question, step, ""));
    this.page.side.part("ask").replaceChildren(form);
    form.querySelector("input").focus();
  }

  #check(question, step, answer) {
    const isRight = JSON.stringify(answer) === JSON.stringify(question.answer);
    if (isRight) this.right += 1; else this.wrong += 1;
    this.#tell(question, step, isRight ? "Right. " : "No. ");
  }

  #tell(question, step, verdict) {
    this.answered.add(`${step} ${question.kind}`);
    const said = made("p", "", { role: "status", class: verdict === "No. " ? "verdict bad" : "verdict" }), on = made("button", "Go on", { class: "primary" });
    const shown = question.options ? plural(question.answer.length, "move") : number(question.answer);
    said.append(made("b", verdict === "Right. " ? "✓ Right. " : verdict === "No. " ? `✗ No, ${shown}. ` : `${shown}. `), question.why);
    on.addEventListener("click", () => this.on());
    const line = made("div", "", { class: "actions" });
    line.append(on, made("span", `${this.right} right, ${this.wrong} wrong`, { class: "note" }));
    if (this.page.side.step === step) this.page.side.show(step);
    this.page.side.part("ask").replaceChildren(said, line);
    on.focus();
  }
}

function choices(options) {
  const fields = options.length > MOST_MOVES ? [["radio", "none", ""], ["radio", `all ${options.length} that are left`, "all"]] : options.map((name) => ["checkbox", name, name]);
  return fields.map(([type, text, value]) => {
    const label = made("label", "", { class: "check" });
    label.append(made("input", "", { type, name: "moves", value }), ` ${text}`);
    return label;
  });
}

function given(form, { options }) {
  if (!options) {
    const text = form.elements.answer.value.trim().replace("−", "-").toLowerCase();
    return /^-?(∞|inf(inity)?)$/.test(text) ? (text.startsWith("-") ? -INFINITY : INFINITY) : Number(text);
  }
  const chosen = [...form.querySelectorAll(":checked")].map(({ value }) => value);
  return chosen[0] === "all" ? options : chosen.filter(Boolean);
}
