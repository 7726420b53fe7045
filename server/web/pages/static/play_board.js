// A board on which a person plays: the server's picture with its places as buttons. It knows no game: a move is the
// names of one or two places one after the other, perhaps with a letter behind (games/picture.py says so, too).

const SVG = "http://www.w3.org/2000/svg";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class PlayBoard {
  // element: for the picture.  choices: for buttons of what is not on it.  play: is given the move.
  constructor(element, choices, play) {
    [this.element, this.choices, this.play] = [element, choices, play];
    [this.shown, this.legal, this.chosen, this.places] = ["", [], "", []];
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  // The position after `ply` moves of a match, from the side of a seat.
  async show(match, ply, seat) {
    const wanted = `${match}/board/${ply}?seat=${seat}`;
    if (wanted === this.shown) return;
    const answer = await fetch(`/api/v1/matches/${wanted}`);
    if (!answer.ok) return;
    const { svg, places } = await answer.json();
    const picture = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    this.shown = wanted;
    this.places = places;
    this.buttons = new Map();
    this.chosen = "";
    for (const place of places) picture.append(this.#button(place));
    this.element.replaceChildren(picture);
    this.#mark();
  }

  ask(legal) {
    [this.legal, this.chosen] = [legal, ""];
    this.#mark();
  }

  lock() { this.ask([]); }

  #button({ name, x, y, width, height }) {
    const button = document.createElementNS(SVG, "rect");
    for (const [key, value] of Object.entries({ x, y, width, height, "data-place": name, role: "button", "aria-label": name })) {
      button.setAttribute(key, value);
    }
    button.addEventListener("click", () => this.#press(name));
    this.buttons.set(name, button);
    return button;
  }

  // The moves that begin with these places and go on with another place or a letter: not b12 for b1.
  #goingOn(begun) {
    return this.legal.filter((move) => move.startsWith(begun) && /^[a-z]/.test(move.slice(begun.length)));
  }

  #press(name) {
    const next = this.chosen + name;
    if (this.legal.includes(next) && !this.#goingOn(next).length) return this.play(next);
    const onward = this.#goingOn(next).length ? next : this.#goingOn(name).length ? name : this.legal.includes(name) ? null : "";
    if (onward === null) return this.play(name);
    this.chosen = onward === this.chosen ? "" : onward;
    this.#mark();
  }

  // What can be pressed now; what cannot be made by places gets buttons of its own.
  #mark() {
    const named = [...this.buttons?.keys() ?? []];
    const begins = (move) => named.filter((name) => move === name || (move.startsWith(name) && /^[a-z]/.test(move.slice(name.length))));
    const rest = this.#goingOn(this.chosen), seconds = new Set(rest.flatMap((move) => begins(move.slice(this.chosen.length))));
    const firsts = new Set(this.legal.flatMap(begins));
    for (const [name, button] of this.buttons ?? []) {
      const [isChosen, isTarget] = [this.chosen === name, Boolean(this.chosen) && seconds.has(name)];
      const active = isChosen || isTarget || firsts.has(name);
      button.setAttribute("class", isChosen ? "chosen" : isTarget ? "target" : active ? "free" : "");
      if (active) button.setAttribute("tabindex", "0"); else button.removeAttribute("tabindex");
      button.setAttribute("aria-label", isTarget ? `to ${name}` : name);
    }
    const letters = this.chosen ? rest.filter((move) => !begins(move.slice(this.chosen.length)).length) : [];
    const elsewhere = this.legal.filter((move) => !begins(move).length);
    this.choices.replaceChildren(...(letters.length ? letters : elsewhere).map((move) => {
      const button = document.createElement("button");
      button.textContent = move;
      button.addEventListener("click", () => this.play(move));
      return button;
    }));
  }

  #key(event) {
    const name = event.target.dataset?.place;
    if (!name) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#press(name);
      this.buttons.get(name)?.focus();
    } else if (event.key === "Escape") {
      this.chosen = "";
      this.#mark();
    } else if (ARROWS[event.key]) {
      event.preventDefault();
      this.#nearest(name, ARROWS[event.key])?.focus();
    }
  }

  // The place that can be pressed next in this direction.
  #nearest(name, [right, down]) {
    const from = this.places.find((place) => place.name === name);
    const ahead = ({ x, y }) => (x - from.x) * right + (y - from.y) * down, aside = ({ x, y }) => Math.abs((x - from.x) * down) + Math.abs((y - from.y) * right);
    const found = this.places.filter((place) => ahead(place) > 0 && this.buttons.get(place.name).hasAttribute("tabindex"));
    found.sort((one, other) => ahead(one) + 2 * aside(one) - ahead(other) - 2 * aside(other));
    return found.length ? this.buttons.get(found[0].name) : null;
  }
}
