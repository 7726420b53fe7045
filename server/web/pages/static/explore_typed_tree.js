// A tree as it is typed: nested lists of whole numbers, `null` a leaf whose value nobody knows. Nodes are numbered from the root
// on in the order of a full search, as in the recording. Edits give the text of another tree.

export class TypedTree {
  constructor(text) {
    this.nodes = [];
    this.root = this.#read(JSON.parse(text), null);
  }

  #read(read, parent) {
    const node = { number: this.nodes.length, parent, value: Array.isArray(read) ? undefined : read, children: [], size: 1 };
    this.nodes.push(node);
    if (Array.isArray(read)) node.children = read.map((child) => this.#read(child, node));
    node.size = this.nodes.length - node.number;
    return node;
  }

  get text() { return textOf(this.root); }

  // The child to which a move leads; moves are "1", "2", ... from the left.
  child(node, move) { return node.children[Number(move) - 1]; }

  // Each of these changes the tree; `text` is the new one.
  setValue(number, value) { Object.assign(this.nodes[number], { value, children: [] }); }

  // A leaf becomes an inner node with itself as its first child.
  addChild(number, value = 0) {
    const node = this.nodes[number];
    if (!node.children.length) node.children.push({ value: node.value, children: [] });
    else node.children.push({ value, children: [] });
    node.value = undefined;
  }

  // An inner node without children is a leaf.
  remove(number) {
    const { parent } = this.nodes[number];
    parent.children = parent.children.filter((child) => child.number !== number);
    if (!parent.children.length) parent.value = 0;
  }
}

function textOf(node) {
  return node.children.length ? `[${node.children.map(textOf).join(",")}]` : String(node.value ?? null);
}
