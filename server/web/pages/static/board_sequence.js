// All boards of a match, drawn from one document (`/api/v1/matches/N/boards`): elements once, then edits ply by ply.

const SVG = "http://www.w3.org/2000/svg", ARROWS = 3, WIDTH = 1.1, HEAD = 3.2, AGAIN_MS = 1000, NEVER = [400, 404];

export class BoardSequence {
  constructor({ head, parts, boards }) {
    [this.head, this.parts, this.boards, this.shown, this.nodes] = [head, [], [], [], []];
    this.extend(parts, boards);
  }

  // However long the server is away. Null where there is none, and once it is not wanted any more.
  static async load(address, isWanted = () => true) {
    while (isWanted()) {
      const answer = await fetch(address).catch(() => null), told = answer?.ok && await answer.json().catch(() => null);
      if (told) return new BoardSequence(told);
      if (NEVER.includes(answer?.status)) return null;
      await new Promise((soon) => setTimeout(soon, AGAIN_MS));
    }
    return null;
  }

  get last() { return this.boards.length - 1; }

  // parts: those that have not been there before.
  extend(parts, boards) {
    this.parts.push(...parts);
    for (const board of boards) {
      const shown = [...this.shown.at(-1) ?? []];
      for (const [at, removed, ...added] of board.edits) shown.splice(at, removed, ...added);
      this.shown.push(shown);
      this.boards.push(board);
    }
  }

  // Shows a board in `element`, whose picture is kept and changed. With arrows: what its bot expects.
  draw(element, ply, arrows = false) {
    const board = this.boards[ply];
    if (this.picture !== element.firstElementChild || !this.picture) {
      this.picture = parsed(`${this.head}<title/></svg>`);
      element.replaceChildren(this.picture);
    }
    const [title, used] = [this.picture.firstElementChild, new Set()];
    title.textContent = board.title;
    const nodes = this.shown[ply].map((part) => {
      this.nodes[part] ??= parsed(`${this.head}${this.parts[part]}</svg>`).firstElementChild;
      if (used.has(part)) return this.nodes[part].cloneNode(true);
      used.add(part);
      return this.nodes[part];
    });
    this.picture.replaceChildren(title, ...nodes, ...(arrows ? marks(board.expected.slice(0, ARROWS)) : []));
  }
}

function parsed(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

function made(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// An arrow from place to place, or a ring on the one place of a move; the first move the strongest.
function marks(expected) {
  return expected.map(([x, y, toX, toY], at) => {
    const look = { class: `expected expected-${at}` };
    if (x === undefined) return made("g", look); // a pass
    if (toX === undefined) return made("circle", { ...look, cx: x, cy: y, r: 3.4 });
    const length = Math.hypot(toX - x, toY - y), [along, across] = [(toX - x) / length, (toY - y) / length];
    const point = (forward, aside) => `${(x + forward * along - aside * across).toFixed(2)} ${(y + forward * across + aside * along).toFixed(2)}`;
    const neck = length - HEAD, half = WIDTH / 2;
    const corners = [[2, half], [neck, half], [neck, HEAD / 2], [length - 0.4, 0], [neck, -HEAD / 2], [neck, -half], [2, -half]];
    return made("path", { ...look, d: `M${corners.map((corner) => point(...corner)).join("L")}Z` });
  }).reverse();
}
