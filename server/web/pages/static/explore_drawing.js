// The tree as the books draw it: an SVG whose items are kept and changed from step to step.

import { everyItem, layOut, LEVEL } from "./explore_outline.js";

const SVG = "http://www.w3.org/2000/svg";
const LETTER = 9.4, SMALL_LETTER = 7.3, MARGIN = 14, LEAST_WIDTH = 38; // units
const INNER = 48, PLAIN = 32; // height of a box with a window, and without one
const PAINTED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-weight", "font-family", "text-decoration", "paint-order"];

export class Drawing {
  // svg: has a group for the view.  look(item): { classes, value, window, label, title } of an item now.
  constructor(svg, look) {
    [this.svg, this.look, this.kept, this.items, this.size] = [svg, look, new Map(), [], { width: 1, height: 1 }];
    [this.edges, this.boxes] = [element("g", { class: "edges" }), element("g", { class: "boxes" })];
    this.stage = element("g", { class: "stage" });
    this.stage.append(this.edges, this.boxes);
    svg.replaceChildren(this.stage);
  }

  // Draws the outline that begins with this item; widthOf: letters of the widest value, window and label of an item.
  show(root, widthOf, hasWindows) {
    this.hasWindows = hasWindows;
    const { width, height } = layOut(root, (item) => this.width(item, widthOf(item)));
    this.items = everyItem(root);
    this.size = { width: width + 2 * MARGIN, height: height + INNER + 3 * MARGIN };
    const keys = new Set(this.items.map(({ key }) => key)), free = [...this.kept].filter(([key]) => !keys.has(key)).map(([, parts]) => parts);
    this.kept = new Map(this.items.map((item) => [item.key, this.kept.get(item.key) ?? this.#named(free.pop() ?? this.#made(), item)]));
    for (const parts of free) Object.values(parts).forEach((part) => part.remove());
    for (const item of this.items) this.#draw(item, this.kept.get(item.key));
  }

  // Of an item's box, which has so many letters.
  width(item, { value, window, label }) {
    if (item.kind === "gap") return item.width = 44;
    if (isStump(item)) return item.width = Math.max(20, label * SMALL_LETTER + 2);
    return item.width = Math.max(LEAST_WIDTH, value * LETTER + 14, window * SMALL_LETTER + 18, label * SMALL_LETTER + 4);
  }

  #named(parts, { key }) {
    set(parts.group, { "data-key": key });
    set(parts.fold, { "data-fold": key });
    return parts;
  }

  #made() {
    const group = element("g");
    const parts = { group, edge: element("path"), strike: element("path", { class: "strike" }), title: element("title") };
    parts.box = element("rect");
    parts.label = element("text", { class: "label", "font-size": 12, "text-anchor": "middle", y: -7 });
    parts.value = element("text", { class: "value", "font-size": 16, "text-anchor": "middle" });
    parts.window = element("text", { class: "window", "font-size": 12, "text-anchor": "middle", y: 38 });
    parts.fold = element("g");
    parts.foldBox = element("rect", { height: 17, rx: 8.5 });
    parts.foldText = element("text", { "font-size": 11.5, "text-anchor": "middle", y: 12.5 });
    parts.fold.append(parts.foldBox, parts.foldText);
    group.append(parts.title, parts.box, parts.value, parts.window, parts.label, parts.fold);
    this.edges.append(parts.edge, parts.strike);
    this.boxes.append(group);
    return parts;
  }

  #draw(item, parts) {
    const { classes, value, window, label, title, isLeaf, isMin } = this.look(item);
    const height = heightOf(item, isLeaf, this.hasWindows), { width } = item, [x, y] = [item.x + MARGIN, item.y + 2 * MARGIN];
    item.bottom = item.y + height;
    set(parts.group, { class: `item ${item.kind} ${isLeaf ? "leaf" : isMin ? "min" : "max"} ${classes}`, transform: `translate(${round(x)} ${round(y)})` });
    set(parts.box, { x: round(-width / 2), width: round(width), height, rx: isLeaf ? 5 : isMin ? height / 2 : 2, visibility: item.kind === "gap" || isStump(item) ? "hidden" : "visible" });
    set(parts.label, { y: isStump(item) ? 12 : -7 });
    set(parts.value, { y: window ? 20 : height / 2 + 5.5 });
    write(parts.value, value);
    write(parts.window, window);
    write(parts.label, label);
    write(parts.title, title);
    this.#drawFold(item, parts, height);
    this.#drawEdge(item, parts, classes);
  }

  // What is folded says how much; what is not has a handle to fold it.
  #drawFold(item, parts, height) {
    const text = !item.inside ? "" : item.below.length ? "−" : `+${item.inside.toLocaleString("en")}`, width = Math.max(17, text.length * 7.5 + 8);
    set(parts.fold, { transform: `translate(0 ${height - (item.below.length ? 4 : 5)})`, visibility: text ? "visible" : "hidden", class: item.below.length ? "fold handle" : "fold" });
    set(parts.foldBox, { x: -width / 2, width });
    write(parts.foldText, text);
  }

  #drawEdge(item, parts, classes) {
    if (!item.parent) return [parts.edge, parts.strike].forEach((part) => set(part, { d: "M0 0" }));
    const [x, y, fromX, fromY] = [item.x, item.y, item.parent.x, item.parent.bottom].map((number, at) => number + (at % 2 ? 2 * MARGIN : MARGIN));
    set(parts.edge, { class: `edge ${item.kind} ${classes}`, d: `M${round(fromX)} ${round(fromY)}L${round(x)} ${round(y)}` });
    const [middleX, middleY] = [(fromX + x) / 2, (fromY + y) / 2], stroke = (down) => `M${round(middleX - 7)} ${round(middleY + down)}l14 -8`;
    const isStruck = item.kind === "cut" && item.parent.kind === "visit" && classes.includes("struck");
    set(parts.strike, { d: isStruck ? stroke(2) + stroke(7) : "M0 0" });
  }

  // --- where an item is: the middle of its box

  place(key) {
    const item = this.items.find((each) => each.key === key);
    return item && { x: item.x + MARGIN, y: item.y + 2 * MARGIN + LEVEL / 4, width: item.width, item };
  }

  // What is drawn as a document of its own, with the colours that it has here.
  file(title) {
    const { width, height } = this.size, copy = this.svg.cloneNode(true);
    const [seen, copied] = [this.svg.querySelectorAll("*"), copy.querySelectorAll("*")];
    copied.forEach((part, at) => {
      const style = getComputedStyle(seen[at]);
      for (const name of PAINTED) if (part.localName !== "g" || name === "opacity") part.setAttribute(name, style.getPropertyValue(name));
      for (const name of ["class", "data-key", "data-fold"]) part.removeAttribute(name);
    });
    for (const handle of this.svg.querySelectorAll(".handle")) copied[[...seen].indexOf(handle)].remove();
    copy.firstElementChild.removeAttribute("transform");
    for (const name of copy.getAttributeNames()) copy.removeAttribute(name);
    for (const [name, value] of Object.entries({ xmlns: SVG, viewBox: `0 0 ${round(width)} ${round(height)}`, width: round(width), height: round(height) })) copy.setAttribute(name, value);
    const paper = element("rect", { width: "100%", height: "100%", fill: getComputedStyle(this.svg).backgroundColor });
    copy.prepend(Object.assign(element("title"), { textContent: title }), paper);
    return new XMLSerializer().serializeToString(copy);
  }
}

// A move of a game that was not looked at: nothing is known of what it leads to.
function isStump(item) { return item.kind === "cut" && !item.tree; }

function heightOf(item, isLeaf, hasWindows) { return item.kind === "gap" ? 20 : isLeaf || !hasWindows ? PLAIN : INNER; }

function round(number) { return Math.round(number * 10) / 10; }

function element(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  set(made, attributes);
  return made;
}

function set(part, attributes) {
  for (const [name, value] of Object.entries(attributes)) if (part.getAttribute(name) !== String(value)) part.setAttribute(name, value);
}

function write(part, text = "") { if (part.textContent !== text) part.textContent = text; }
