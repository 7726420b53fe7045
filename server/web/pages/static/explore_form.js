// The form that says what is searched.

import { byId, made } from "./dom.js";
import { clean, FIELDS, otherIn } from "./explore_question.js";
import { SetupBoard } from "./setup_board.js";

const TEXTS = { "000": "An introduction to game programming", "001": "A chess program in 99 steps", "002": "A lecture of 15-211", "003": "Min-max search", "004": "An assignment on Connect 5" };
const LONG_TREE = 40, FOLLOW_MS = 120; // letters; that a step stays before the board is asked for
const NOT_OF = { tree: ["game", "position", "moves", "grain", "quiescence", "wins", "near", "evaluation"], game: ["tree", "min_begins"] };

export class QuestionForm {
  // ask: is given a question.
  constructor(form, listings, ask) {
    [this.form, this.ask, this.examples, this.chosen, this.board, this.onBoard] = [form, ask, [], 0, null, ""];
    this.#algorithms(listings);
    byId("setup-box").addEventListener("toggle", () => this.#showBoard());
    form.addEventListener("change", ({ target }) => {
      if (target.name === "find") return;
      if (target.name === "example") return this.#askExample(Number(target.value));
      if (target.name === "game") [this.#field("position").value, this.#field("moves").value] = ["", ""];
      this.#only();
      if (target.name !== "what") this.#asked();
    });
    form.addEventListener("submit", (event) => { event.preventDefault(); this.#asked(); });
    form.elements.find.addEventListener("input", () => this.#list());
    form.elements.find.addEventListener("keydown", (event) => {
      const [first] = this.#field("example").options;
      if (event.key === "Enter") event.preventDefault();
      if (event.key === "Enter" && first) this.#askExample(Number(first.value));
    });
  }

  #algorithms(listings) {
    const groups = new Map();
    for (const { name, text, family, about } of listings) {
      if (!groups.has(text)) groups.set(text, made("optgroup", "", { label: `${text}: ${TEXTS[text] ?? ""}` }));
      groups.get(text).append(made("option", `${name}${family ? ` (${family})` : ""}: ${about}`, { value: name }));
    }
    this.form.elements.algorithm.replaceChildren(...groups.values());
  }

  // examples: of the API.
  offer(examples) {
    this.examples = examples.map(({ name, ...example }) => ({ name, ...example, book: `${name.slice(0, 3)}: ${TEXTS[name.slice(0, 3)] ?? ""}`, title: name.slice(4).replaceAll("-", " ") }));
    this.#list();
  }

  // The examples by book in which all words are found that are looked for.
  #list() {
    const words = (text) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()}`, groups = new Map(), wanted = words(this.#field("find").value).split(" ");
    this.examples.forEach(({ book, title, says, address }, at) => {
      const text = words([book, title, says, ...Object.values(address)].join(" "));
      if (!wanted.every((word) => text.includes(` ${word}`))) return;
      if (!groups.has(book)) groups.set(book, made("optgroup", "", { label: book }));
      groups.get(book).append(made("option", `${title[0].toUpperCase()}${title.slice(1)}: ${says}`, { value: at }));
    });
    const field = this.#field("example");
    field.replaceChildren(...groups.values());
    field.value = this.chosen;
    byId("examples-found").textContent = `${field.options.length} of ${this.examples.length}`;
  }

  // The example that asks this question, the chosen one if it does; -1: none.
  #example(question) {
    const asks = (example) => example && JSON.stringify(clean(example.address)) === JSON.stringify(clean(question));
    return asks(this.examples[this.chosen]) ? this.chosen : this.examples.findIndex(asks);
  }

  get what() { return this.form.elements.what.value; }

  // Whether a tree or a game is searched.
  get kind() { return (this.what === "example" ? this.examples[this.chosen].address.game : this.what === "game") ? "game" : "tree"; }

  #field(name) { return this.form.elements[name]; }

  // Only the fields of what is searched.
  #only() {
    const { kind } = this;
    for (const element of this.form.querySelectorAll("[data-for]")) element.hidden = ![this.what, kind].includes(element.dataset.for) || (element.dataset.for === "tree" && element.localName !== "option" && this.what !== "tree");
    this.#showBoard();
  }

  // A board for the position and the moves, once somebody looks.
  #showBoard() {
    byId("setup").hidden = this.what !== "game";
    const [game, position, moves] = ["game", "position", "moves"].map((name) => this.#field(name).value), wanted = [game, position, moves].join();
    if (this.what !== "game" || !byId("setup-box").open || wanted === this.onBoard) return;
    [this.onBoard, this.seen] = [wanted, moves];
    if (this.board) this.board.open({ game, position, moves });
    else this.board = new SetupBoard(byId("setup"), { game, position, moves, changed: (what) => this.#setUp(what) });
    if (this.side) this.follow(this.side);
  }

  // What a person has made of the board; it is searched if it is a position.
  #setUp({ position, moves, problem, isOpened }) {
    if (isOpened) return;
    clearTimeout(this.following);
    [this.#field("position").value, this.#field("moves").value, this.seen] = [position, moves, moves];
    this.onBoard = [this.#field("game").value, position, moves].join();
    if (!problem) this.#asked();
  }

  // The board shows the node that a search is at: what is moved or placed there is searched from there.
  follow(side) {
    const { question, recording, current } = this.side = side;
    clearTimeout(this.following);
    if (!this.board || !byId("setup-box").open || this.what !== "game" || ["game", "position", "moves"].some((name) => this.#field(name).value !== (question[name] ?? ""))) return;
    const moves = [question.moves, ...recording.movesTo(current)].filter(Boolean).join(" ");
    if (moves !== this.seen) this.following = setTimeout(() => { this.seen = moves; this.board.follow({ position: question.position, moves }); }, FOLLOW_MS);
  }

  #askExample(chosen) {
    this.chosen = chosen;
    const asks = this.examples[chosen].address, question = clean(asks);
    this.ask(question, otherIn(new URLSearchParams(asks), question));
  }

  #asked() { if (this.form.reportValidity()) this.ask(this.question); }

  get question() {
    const given = Object.fromEntries(FIELDS.map((name) => [name, this.#given(name)]));
    for (const name of NOT_OF[this.kind]) delete given[name];
    return clean(given);
  }

  #given(name) {
    const field = this.#field(name), usual = { order: "none", wins: "sooner" };
    const value = field.type === "checkbox" ? (field.checked ? "true" : "") : field.value.trim();
    return value === usual[name] || (name === "depth" && value === "0") ? "" : value;
  }

  fill(question) {
    for (const name of FIELDS) {
      const field = this.#field(name), value = question[name] ?? "";
      if (field.type === "checkbox") field.checked = value === "true";
      else if (field.localName === "select") { if (value) field.value = value; else if (field.options.length && name !== "algorithm" && name !== "game") field.selectedIndex = 0; }
      else field.value = value;
    }
    const same = this.#example(question);
    if (same >= 0) this.#field("example").value = this.chosen = same;
    this.#field("what").value = same >= 0 ? "example" : question.game ? "game" : "tree";
    this.#only();
  }

  // After a search: what it was in words.
  show(side) {
    const { question } = side;
    const what = question.game ? `${this.#field("game").selectedOptions[0]?.textContent ?? question.game}${question.position ? ", a position" : ""}` : question.tree.length > LONG_TREE ? `a tree of ${question.tree.split(",").length.toLocaleString("en")} leaves` : `tree ${question.tree}`;
    byId("in-words").textContent = `${side.name} on ${what}, ${side.recording.head.report.depth} plies deep`;
    this.#field("algorithm").value = side.name;
    const example = this.examples[this.#example(question)];
    byId("example-says").textContent = example ? `${example.text} says: ${example.says}.` : "";
  }
}
