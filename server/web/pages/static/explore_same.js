// The same nodes in two searches of one tree: by the moves that lead to them; by their subtrees where an order has put a typed
// tree into another shape.

export class SameNodes {
  // from, to: recordings with their typed trees, or null.
  constructor(from, to) {
    [this.from, this.to, this.known] = [from.recording, to.recording, new Map()];
    this.numbers = from.typed && from.typed.text !== to.typed.text ? matched(from.typed, to.typed) : null;
  }

  // The visit of the other search at the same node, or the deepest one on the way there: { visit, isWhole }.
  find(visit) {
    if (!this.known.has(visit)) this.known.set(visit, this.#found(visit));
    return this.known.get(visit);
  }

  #found(visit) {
    const parent = this.from.parents[visit];
    if (parent < 0) return { visit: 0, isWhole: true };
    const above = this.find(parent);
    if (!above.isWhole) return above;
    const wanted = this.#key(visit), same = this.to.below(above.visit).filter((child) => this.#keyThere(child) === wanted);
    if (!same.length) return { visit: above.visit, isWhole: false };
    return { visit: this.from.again[visit] ? same.at(-1) : same[0], isWhole: true };
  }

  #key(visit) { return this.numbers ? this.numbers.get(this.from.columns.number[visit]) : this.from.moveOf(visit); }
  #keyThere(visit) { return this.numbers ? this.to.columns.number[visit] : this.to.moveOf(visit); }

  // Where the other search is when this one is at a step: at the same; where it has not been, after the last node on the way.
  step(step) {
    const { visit, isEnd } = this.from.at(step), found = this.find(visit);
    return isEnd || !found.isWhole ? this.to.finished(found.visit) : this.to.entered(found.visit);
  }
}

// The numbers of the nodes of one tree to those of the other, which has the same branches in another order.
function matched(one, other) {
  const shapes = new Map(), numbers = new Map();
  const shape = (node) => {
    if (!shapes.has(node)) shapes.set(node, node.children.length ? `[${node.children.map(shape).sort().join()}]` : String(node.value));
    return shapes.get(node);
  };
  const pair = (node, same) => {
    numbers.set(node.number, same.number);
    const free = [...same.children];
    for (const child of node.children) {
      const at = free.findIndex((each) => shape(each) === shape(child));
      if (at >= 0) pair(child, free.splice(at, 1)[0]);
    }
  };
  pair(one.root, other.root);
  return numbers;
}
