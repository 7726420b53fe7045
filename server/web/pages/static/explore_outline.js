// Which part of a search is drawn, and where: a few hundred nodes at most, the way to the current one always among them.
// An item is a visit, a move that was not looked at ("cut", in a typed tree with what is below it), or a gap for what is left out.

const MOST_DRAWN = 240, MOST_OPENED = 600, MOST_KEPT = 5000;
const BELOW = { most: 14, first: 6, last: 2 }, BELOW_IF_NARROW = { most: 8, first: 3, last: 1 }, NARROW = 900; // units of room
const BESIDE = 12, APART = 20; // units between the boxes of siblings, of cousins
export const LEVEL = 92; // units from one ply to the next

export class Outline {
  // typed: the tree that was searched, null for a game.
  constructor(recording, typed) { [this.recording, this.typed, this.known, this.shown] = [recording, typed, new Map(), BELOW]; }

  // The root's item with all that is drawn below it.  open: visits whose way from the root is open whatever is folded.
  // folded, opened: keys of items that the reader has closed or opened.  room: units for what is opened by itself; widthOf: of an item's box.
  chosen({ open, folded, opened, room = Infinity, widthOf = () => 0 }) {
    const forced = new Set(open.flatMap((visit) => this.recording.path(visit))), root = this.#visit(0, null);
    this.shown = room < NARROW ? BELOW_IF_NARROW : BELOW;
    if (this.room !== room) [this.room, this.levels] = [room, this.#levels(room, widthOf)];
    let level = [root], drawn = 1;
    for (let ply = 0; level.length; ply += 1) {
      const shut = level, isOpen = (item) => forced.has(item.visit) || (!folded.has(item.key) && (ply < this.levels || (opened.has(item.key) && drawn < MOST_OPENED)));
      level = [];
      for (const item of shut) {
        if (!isOpen(item)) continue;
        item.below = this.#below(item, forced);
        drawn += item.below.length;
        level.push(...item.below);
      }
    }
    return root;
  }

  // How many plies are opened by themselves: as many as there is room for. It is the same at every step, so that the drawing stays.
  #levels(room, widthOf) {
    let level = [this.#visit(0, null)], drawn = 1;
    for (let ply = 0; ; ply += 1) {
      level = level.flatMap((item) => this.#below(item, new Set()));
      drawn += level.length;
      if (!level.length) return Infinity;
      if (drawn > MOST_DRAWN || level.reduce((sum, item) => sum + widthOf(item) + BESIDE, 0) > room) return ply;
    }
  }

  #visit(visit, parent) {
    const number = this.recording.columns.number[visit], tree = this.typed && number >= 0 ? this.typed.nodes[number] : null;
    const size = this.recording.sizes[visit] + this.recording.leftCount[visit];
    return { key: String(visit), kind: "visit", visit, tree, move: this.recording.moveOf(visit), parent, below: [], inside: size - 1 };
  }

  #cut(move, tree, parent) {
    const key = `${parent.key}.${move}`;
    return { key, kind: "cut", visit: -1, tree, move, parent, below: [], inside: tree ? tree.size - 1 : 0 };
  }

  #below(item, forced) {
    const items = [];
    let next = 0;
    for (const at of this.#kept(item, forced)) {
      if (at > next) items.push(this.#gap(item, next, at - next));
      items.push(this.#child(item, at));
      next = at + 1;
    }
    return items;
  }

  #gap(parent, at, skipped) {
    return { key: `${parent.key}-${at}`, kind: "gap", visit: -1, parent, below: [], inside: 0, skipped, of: this.#count(parent) };
  }

  #count(item) {
    if (item.kind === "visit") return this.#visits(item).length + this.recording.leftCount[item.visit];
    return item.tree?.children.length ?? 0;
  }

  #visits(item) {
    if (!this.known.has(item.visit)) {
      if (this.known.size > MOST_KEPT) this.known.clear();
      this.known.set(item.visit, this.recording.below(item.visit));
    }
    return this.known.get(item.visit);
  }

  #child(item, at) {
    if (item.kind === "cut") return this.#cut(String(at + 1), item.tree.children[at], item);
    const visits = this.#visits(item);
    if (at < visits.length) return this.#visit(visits[at], item);
    const move = this.recording.left(item.visit)[at - visits.length];
    return this.#cut(move, item.tree && this.typed.child(item.tree, move), item);
  }

  // The places of those that are drawn below one: the first, the last, those on the way and beside it, the one that cut.
  #kept(item, forced) {
    const count = this.#count(item), places = (from, to) => Array.from({ length: to - from }, (_, at) => from + at);
    const { most, first, last } = this.shown;
    if (count <= most) return places(0, count);
    const visits = item.kind === "visit" ? this.#visits(item) : [];
    const near = visits.flatMap((visit, at) => (forced.has(visit) ? [at - 1, at, at + 1] : []));
    const kept = new Set([...places(0, first), ...near, visits.length - 1, ...places(count - last, count)]);
    return [...kept].filter((at) => at >= 0 && at < count).sort((one, other) => one - other);
  }
}

// All items from the root on, parents before those below them.
export function everyItem(root) { return [root, ...root.below.flatMap(everyItem)]; }

// Gives each item x and y (the middle of its upper edge) and returns the size of all. widthOf: of an item's box.
export function layOut(root, widthOf) {
  const { left, right } = contour(root, widthOf), edge = Math.min(...left);
  put(root, -edge, 0);
  return { width: Math.max(...right) - edge, height: (left.length - 1) * LEVEL };
}

// Sets the places of those below an item relative to it; returns how far it reaches to both sides, ply by ply.
function contour(item, widthOf) {
  const half = widthOf(item) / 2, left = [], right = [];
  for (const child of item.below) {
    const of = contour(child, widthOf);
    const room = (at) => (at === 0 ? BESIDE : APART);
    child.aside = Math.max(...of.left.map((reach, at) => (at < right.length ? right[at] + room(at) - reach : -Infinity)), left.length ? -Infinity : 0);
    of.left.forEach((reach, at) => { left[at] ??= child.aside + reach; });
    of.right.forEach((reach, at) => { right[at] = child.aside + reach; });
  }
  const middle = item.below.length ? (item.below[0].aside + item.below.at(-1).aside) / 2 : 0;
  for (const child of item.below) child.aside -= middle;
  return { left: [-half, ...left.map((reach) => reach - middle)], right: [half, ...right.map((reach) => reach - middle)] };
}

function put(item, x, y) {
  Object.assign(item, { x, y });
  for (const child of item.below) put(child, x + child.aside, y + LEVEL);
}
