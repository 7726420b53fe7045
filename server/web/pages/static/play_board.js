// A board on which a person plays: the server's picture, its places as the cells of a grid for keyboard and screen
// reader. It knows no game: a move is the names of one or two places one after the other, perhaps with a letter behind.

import { made } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const RETRY_MS = 1000;

export class PlayBoard {
  // element: for the picture.  choices: for buttons of what is not on it.  play: is given the move.
  constructor(element, choices, play) {
    [this.element, this.choices, this.play] = [element, choices, play];
    [this.wanted, this.shown, this.legal, this.chosen, this.places, this.cells, this.at] = ["", null, [], "", [], new Map(), ""];
    this.letters = {}; // what a letter behind the places of a move means
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  // Shows the position after `ply` moves of a match, from the side of a seat; a later call wins. Returns what the server
  // answers when it is shown, never where a later call has won.
  show(match, ply, seat) {
    const wanted = `${match}/board/${ply}?seat=${seat}`;
    if (this.wanted !== wanted) {
      this.wanted = wanted;
      this.shown = this.#load(wanted);
    }
    return this.shown;
  }

  async #load(wanted) {
    while (this.wanted === wanted) {
      const answer = await fetch(`/api/v1/matches/${wanted}`).catch(() => null);
      const board = answer?.ok && await answer.json();
      if (this.wanted !== wanted) break;
      if (board) {
        this.draw(board);
        return board;
      }
      await new Promise((kept) => setTimeout(kept, RETRY_MS)); // the server is away; it comes back
    }
    return new Promise(() => {});
  }

  // A board as the server answers it: a picture, and its places.
  draw({ svg, places }) {
    const picture = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
    const focused = this.element.contains(document.activeElement);
    [this.places, this.cells, this.chosen] = [places, new Map(), ""];
    const drawn = document.createElementNS(SVG, "g"), title = picture.querySelector("title")?.textContent ?? "";
    drawn.setAttribute("aria-hidden", "true");
    drawn.append(...picture.childNodes);
    picture.append(drawn, ...this.#rows(places));
    picture.setAttribute("role", places.length ? "grid" : "img");
    picture.setAttribute("aria-label", title.split(/[:;]/)[0]);
    this.element.replaceChildren(picture);
    if (!this.cells.has(this.at)) this.at = places[0]?.name ?? "";
    this.#mark();
    if (focused) this.cells.get(this.at)?.focus();
  }

  // Places of the same height are a row, read from left to right.
  #rows(places) {
    const rows = new Map();
    for (const place of [...places].sort((one, other) => one.y - other.y || one.x - other.x)) {
      if (!rows.has(place.y)) rows.set(place.y, document.createElementNS(SVG, "g")).get(place.y).setAttribute("role", "row");
      rows.get(place.y).append(this.#cell(place));
    }
    return rows.values();
  }

  #cell({ name, x, y, width, height }) {
    const cell = document.createElementNS(SVG, "rect");
    for (const [key, value] of Object.entries({ x, y, width, height, "data-place": name, role: "gridcell" })) cell.setAttribute(key, value);
    cell.addEventListener("click", () => this.#press(name));
    cell.addEventListener("focus", () => this.#stand(name));
    this.cells.set(name, cell);
    return cell;
  }

  // What may be played now; nothing while the opponent thinks: then presses do nothing, and nothing is kept for later.
  // word: said of each place where a move begins; without one the free places have no shade.
  ask(legal, word = "can be played") {
    [this.legal, this.chosen, this.word] = [legal, "", word];
    this.#mark();
  }

  lock() { this.ask([]); }

  // The moves that begin with these places and go on with another place or a letter: not b12 for b1.
  #goingOn(begun) {
    return this.legal.filter((move) => move.startsWith(begun) && /^[a-z]/.test(move.slice(begun.length)));
  }

  #press(name) {
    if (!this.legal.length) return;
    const next = this.chosen + name;
    if (this.legal.includes(next) && !this.#goingOn(next).length) return this.play(next);
    const onward = this.#goingOn(next).length ? next : this.#goingOn(name).length ? name : this.legal.includes(name) ? null : "";
    if (onward === null) return this.play(name);
    this.chosen = onward === this.chosen ? "" : onward;
    this.#mark();
    this.choices.querySelector("button")?.focus(); // of a piece to be chosen
  }

  // What can be pressed now; what cannot be made by places gets buttons of its own.
  #mark() {
    const named = [...this.cells.keys()];
    const begins = (move) => named.filter((name) => move === name || (move.startsWith(name) && /^[a-z]/.test(move.slice(name.length))));
    const rest = this.#goingOn(this.chosen), seconds = new Set(rest.flatMap((move) => begins(move.slice(this.chosen.length))));
    const firsts = new Set(this.legal.flatMap(begins));
    for (const { name, content } of this.places) {
      const cell = this.cells.get(name), isChosen = this.chosen === name, isTarget = Boolean(this.chosen) && seconds.has(name);
      const says = isChosen ? ", chosen" : isTarget ? ", can be moved to" : firsts.has(name) && this.word ? `, ${this.word}` : "";
      cell.setAttribute("class", isChosen ? "chosen" : isTarget ? "target" : this.word && content === "empty" && this.legal.includes(name) ? "free whole" : firsts.has(name) ? "free" : "");
      cell.setAttribute("aria-label", `${name}, ${content}${says}`);
      cell.setAttribute("aria-selected", isChosen);
    }
    this.element.classList.toggle("locked", !this.legal.length);
    this.#stand(this.at);
    const letters = this.chosen ? rest.filter((move) => !begins(move.slice(this.chosen.length)).length) : [];
    const elsewhere = this.legal.filter((move) => !begins(move).length);
    this.choices.replaceChildren(...(letters.length ? letters : elsewhere).map((move) => {
      const button = made("button", (letters.length && this.letters[move.slice(this.chosen.length)]) || move);
      button.addEventListener("click", () => this.play(move));
      return button;
    }));
  }

  // One cell is reached by Tab, the others from there by arrows.
  #stand(name) {
    this.at = name;
    for (const [other, cell] of this.cells) cell.setAttribute("tabindex", other === name ? "0" : "-1");
  }

  #key(event) {
    const name = event.target.dataset?.place;
    if (!name) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#press(name);
    } else if (event.key === "Escape") {
      this.chosen = "";
      this.#mark();
    } else if (ARROWS[event.key]) {
      event.preventDefault();
      this.#nearest(name, ARROWS[event.key])?.focus();
    }
  }

  // The next place in this direction.
  #nearest(name, [right, down]) {
    const from = this.places.find((place) => place.name === name);
    const ahead = ({ x, y }) => (x - from.x) * right + (y - from.y) * down, aside = ({ x, y }) => Math.abs((x - from.x) * down) + Math.abs((y - from.y) * right);
    const found = this.places.filter((place) => ahead(place) > 0);
    found.sort((one, other) => ahead(one) + 2 * aside(one) - ahead(other) - 2 * aside(other));
    return found.length ? this.cells.get(found[0].name) : null;
  }
}
