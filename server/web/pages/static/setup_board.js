// A position that a person sets up: played to move by move, put together piece by piece, or pasted as a text.
// It knows no game: what can be done, and what is wrong, is what the server answers (/api/v1/games/GAME/board).

import { PlayBoard } from "./play_board.js";

const EMPTY = "empty", ERASERS = ["Delete", "Backspace"], MOST_LETTERS = { position: 1000, moves: 6000 };
const HINT = "Press a place to put the piece there, and once more to remove it. By keyboard: arrows, then Enter, the letter of a piece, or Delete.";
const AWAY = "The server cannot be reached; try again.";
let listed = null, boards = 0;

// The games as the server has them, by name; asked for once.
function games() {
  const list = async () => Object.fromEntries((await (await fetch("/api/v1/games")).json()).games.map((game) => [game.name, game]));
  return listed ??= list().catch((error) => { listed = null; throw error; });
}

// An element. what: its properties, and its attributes as `attributes`.
function make(tag, { attributes = {}, ...what } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), what);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function picture(svg) {
  const drawn = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
  drawn.setAttribute("aria-hidden", "true");
  return drawn;
}

export class SetupBoard {
  // element: an empty one.  position: "" for the start.  moves: from there, with blanks between.
  // changed: is given { position, moves, problem, isOpened } when there are others. problem: why it is no position.
  // isOpened: by `open` or `follow`, not by a person.
  constructor(element, { game, position = "", moves = "", changed = () => {} }) {
    [this.element, this.changed, this.number, this.told, this.answer] = [element, changed, boards += 1, "", null];
    this.done = Promise.resolve(); // when all has happened that was asked for
    this.#build();
    this.open({ game, position, moves });
  }

  // Show another position, perhaps of another game.
  open({ game, position = "", moves = "" }) {
    return this.#next(async () => {
      const known = await games().catch(() => null);
      if (!known) return this.#complain(AWAY);
      [this.info, this.answer, this.isOpened] = [known[game], null, true];
      this.board.letters = this.info.letters;
      this.#showOptions(this.info.options);
      if (!await this.#ask({ ...position && { position }, moves })) await this.#startAfterAll(position, moves);
      this.isOpened = false;
    });
  }

  // Show another position of the same game, where a reader has stepped to.
  follow({ position = "", moves = "" }) {
    return this.#next(async () => {
      this.isOpened = true;
      await this.#ask({ ...position && { position }, moves });
      this.isOpened = false;
    });
  }

  // The start, and what is wrong with these texts beside them.
  async #startAfterAll(position, moves) {
    const said = this.fault.textContent, field = this.wrong;
    await this.#ask({});
    this.#complain(said, field);
    [this.typed.elements.position.value, this.typed.elements.moves.value] = [position, moves];
  }

  // --- what is asked of the server

  // One after the other: a press that comes before the last answer changes what that answer brings.
  #next(step) {
    const result = this.done.then(step);
    this.done = result.catch(() => {}); // which the console tells; the next one is done all the same
    return result;
  }

  // The present line, changed by what `change` makes of the last answer.
  #change(change) {
    return this.#next(() => this.#ask({ position: this.answer.start, moves: this.answer.moves.join(" "), ...change(this.answer) }));
  }

  // Whether there is such a board; it is shown then.
  async #ask(query) {
    const asked = new URLSearchParams({ ...query, ...this.placing && { setup: 1 } });
    const answer = await fetch(`/api/v1/games/${this.info.name}/board?${asked}`).catch(() => null), said = await answer?.json();
    if (answer?.ok) this.#show(said);
    else {
      this.#complain(said?.detail ?? AWAY, said?.field);
      if (this.answer) this.#offer(this.answer);
    }
    return Boolean(answer?.ok);
  }

  // Moves that nobody has touched belong to the position of before.
  #askTyped(position, moves) {
    const { start, moves: before } = this.answer;
    const kept = position === start || moves !== before.join(" ") ? moves : "";
    return this.#ask({ ...position && { position }, moves: kept });
  }

  // The position after the moves, "" for the start of the game.
  get reached() { return this.answer.position === this.info.start ? "" : this.answer.position; }

  get placing() { return this.modes.elements.mode.value === "place"; }

  #play(move) {
    this.board.lock();
    this.#change(({ moves }) => ({ moves: [...moves, move].join(" ") }));
    this.board.element.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  }

  // The chosen piece on a place; where it stands already it is taken away.
  #place(place) {
    this.#change(({ places, pieces }) => {
      const piece = this.palette.elements.piece.value, name = pieces.find(({ symbol }) => symbol === piece)?.name;
      const stands = places.find((one) => one.name === place)?.content === name;
      return { place, piece: stands ? EMPTY : piece };
    });
  }

  // A letter puts its piece on the place that has the focus. What is pressed on the board is not for the page.
  #key(event) {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    event.stopPropagation();
    if (ctrlKey || metaKey || altKey || !this.placing || !target.dataset?.place) return;
    const symbols = this.answer.pieces.map(({ symbol }) => symbol);
    const piece = ERASERS.includes(key) ? EMPTY : symbols.find((one) => one === key) ?? symbols.find((one) => one === key.toUpperCase());
    if (!piece) return;
    this.palette.elements.piece.value = piece;
    this.#change(() => ({ place: target.dataset.place, piece }));
  }

  // --- what is shown

  #show(answer) {
    if (!this.answer) this.#showPalette(answer.pieces);
    this.answer = answer;
    this.board.draw(answer);
    this.#offer(answer);
    this.list.replaceChildren(...answer.readable.map((move) => make("li", { textContent: move })));
    this.list.scrollTop = this.list.scrollHeight;
    this.back.disabled = !answer.moves.length;
    this.mover.value = answer.to_move;
    this.#showSwitches(answer.switches);
    [this.playing.hidden, this.palette.hidden] = [this.placing, !this.placing];
    this.status.textContent = this.#words(answer);
    this.status.classList.toggle("problem", Boolean(answer.problem));
    const { start: position, problem } = answer, moves = answer.moves.join(" ");
    [this.typed.elements.position.value, this.typed.elements.moves.value] = [position, moves];
    this.#complain("");
    this.#tell({ position: position === this.info.start ? "" : position, moves, problem });
  }

  // What a press on the board does now.
  #offer({ places, legal }) {
    if (this.placing) this.board.ask(places.map(({ name }) => name), "");
    else this.board.ask(legal);
  }

  #words({ problem, end, to_move, tally }) {
    if (problem) return `Not a position yet: ${problem}.`;
    const counted = tally.map((words, seat) => words && `${this.info.seats[seat]} ${words}`).filter(Boolean).join(", ");
    return `${end ? `Over: ${end.sentence}` : `${this.info.seats[to_move]} to move`}${counted ? `; ${counted}` : ""}.`;
  }

  #tell(what) {
    const now = JSON.stringify([this.info.name, what]);
    if (now === this.told) return;
    this.told = now;
    this.changed({ ...what, isOpened: this.isOpened });
  }

  // What is wrong with what was asked for, and in which field; "" for nothing.
  #complain(sentence, field = "") {
    [this.fault.textContent, this.fault.hidden, this.wrong] = [sentence, !sentence, field];
    for (const name of Object.keys(MOST_LETTERS)) this.typed.elements[name].setAttribute("aria-invalid", name === field);
  }

  #showPalette(pieces) {
    const choice = (value, name) => make("input", { type: "radio", name: "piece", value, attributes: { "aria-label": name } });
    const shown = pieces.map(({ symbol, name, svg }) => make("label", { title: `${name} (${symbol})` }, choice(symbol, name), picture(svg)));
    this.pieces.replaceChildren(...shown, make("label", {}, choice(EMPTY, EMPTY), make("span", { textContent: EMPTY })));
    this.pieces.querySelector("input")?.click();
    this.mover.replaceChildren(...this.info.seats.map((seat, number) => new Option(seat, number)));
    this.modes.hidden = !pieces.length;
    if (!pieces.length) this.modes.reset();
  }

  // Kept where they are the same, so that the focus stays.
  #showSwitches(switches) {
    const names = switches.map(({ name }) => name).join();
    if (this.switches.dataset.names !== names) this.switches.replaceChildren(...switches.map(({ name, title }) => make("label", {}, make("input", { type: "checkbox", name: `switch-${name}`, value: name }), ` ${title}`)));
    this.switches.dataset.names = names;
    this.switches.querySelectorAll("input").forEach((input, at) => { input.checked = switches[at].is_on; });
  }

  #showOptions(options) {
    const kinds = { boolean: "checkbox", number: "number", string: "text" };
    const fields = options.map(({ name, default: usual, help, low, high }) => make(
      "label", {}, `${help} `,
      make("input", { name, type: kinds[typeof usual], value: usual, defaultChecked: usual === true, min: low ?? "", max: high ?? "", autocomplete: "off" }),
    ));
    this.options.hidden = !fields.length;
    this.options.lastChild.replaceChildren(...fields, make("div", { className: "actions" }, make("button", { textContent: "Start with these" })));
  }

  // --- how it is built

  #build() {
    const button = (textContent, onclick) => make("button", { type: "button", textContent, onclick });
    const choices = make("div", { className: "actions", attributes: { role: "group", "aria-label": "Moves that are not on the board" } });
    const drawn = make("div", { className: "board playable" });
    this.board = new PlayBoard(drawn, choices, (pressed) => this.placing ? this.#place(pressed) : this.#play(pressed));
    drawn.addEventListener("keydown", (event) => this.#key(event));
    this.status = make("p", { className: "status", attributes: { role: "status" } });
    this.modes = this.#buildModes();
    this.back = button("Take back", () => this.#change(({ moves }) => ({ moves: moves.slice(0, -1).join(" ") })));
    const again = () => button("Start position", () => this.#next(() => this.#ask({})));
    this.list = make("ol", { className: "played", tabIndex: 0, attributes: { "aria-label": "Moves so far" } });
    this.playing = make("div", {}, choices, make("div", { className: "actions" }, this.back, again()), this.list);
    this.palette = this.#buildPalette(button("Clear the board", () => this.#change(() => ({ empty: 1 }))), again());
    this.typed = this.#buildTyped();
    this.options = this.#buildOptions();
    const side = make("div", { className: "setup-side" }, this.modes, this.status, this.playing, this.palette, this.typed, this.options);
    this.element.classList.add("setup-board");
    this.element.replaceChildren(make("div", { className: "setup-parts" }, drawn, side));
  }

  #buildModes() {
    const mode = (value, text, checked) => make("label", {}, make("input", { type: "radio", name: "mode", value, checked }), ` ${text}`);
    const modes = [mode("play", "Play moves", true), mode("place", "Place pieces", false)];
    const form = make("form", {}, make("fieldset", {}, make("legend", { textContent: "On the board" }), ...modes));
    form.addEventListener("change", () => this.#change(() => ({})));
    return form;
  }

  #buildPalette(...buttons) {
    this.pieces = make("div", { className: "pieces" });
    this.switches = make("div", { className: "switches" });
    this.switches.addEventListener("change", ({ target }) => this.#change(() => ({ switch: target.value })));
    this.mover = make("select", { onchange: () => this.#change(() => ({ mover: this.mover.value })) });
    return make(
      "form", { hidden: true },
      make("fieldset", {}, make("legend", { textContent: "Piece to place" }), this.pieces),
      make("p", { className: "note", textContent: HINT }),
      this.switches,
      make("div", { className: "actions" }, make("label", {}, "To move ", this.mover), ...buttons),
    );
  }

  #buildTyped() {
    const id = `setup-fault-${this.number}`;
    this.fault = make("p", { id, className: "fault", hidden: true, attributes: { role: "alert" } });
    const field = (name, maxLength) => make("input", { name, maxLength, autocomplete: "off", spellcheck: false, attributes: { autocapitalize: "off", "aria-describedby": id } });
    const [position, moves] = [field("position", MOST_LETTERS.position), field("moves", MOST_LETTERS.moves)];
    const labels = [make("label", {}, "Position ", position), make("label", {}, "Moves from there ", moves)];
    const form = make("form", { className: "typed" }, ...labels, this.fault, make("button", { textContent: "Set" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#next(() => this.#askTyped(position.value.trim(), moves.value.trim()));
    });
    return form;
  }

  #buildOptions() {
    const form = make("form");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const given = [...form.elements].filter(({ name }) => name);
      const options = given.map(({ name, type, checked, value }) => `${name}=${type === "checkbox" ? checked : value.replaceAll(" ", "")}`).join(" ");
      this.#next(() => this.#ask({ options }));
    });
    return make("details", {}, make("summary", { textContent: "Another start" }), form);
  }
}
