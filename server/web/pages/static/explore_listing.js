// The listing beside the tree, as in the book or as it runs: its current line, its variables.

import { made } from "./dom.js";
import { number } from "./explore_words.js";

export class ListingPanel {
  // part: finds an element of the side by its name.
  constructor(root, part) {
    [this.root, this.part, this.form] = [root, part, "printed"];
    for (const button of root.querySelectorAll("[data-form]")) button.addEventListener("click", () => this.choose(button.dataset.form));
  }

  // listing: of the API; null while there is none.
  set(listing) {
    [this.listing, this.before] = [listing, {}];
    for (const button of this.root.querySelectorAll("[data-form=printed]")) button.hidden = !listing?.printed;
    this.choose(this.form);
  }

  choose(form) {
    this.form = form;
    const isPrinted = form === "printed" && Boolean(this.listing?.printed);
    for (const button of this.root.querySelectorAll("[data-form]")) button.ariaPressed = String((button.dataset.form === "printed") === isPrinted);
    const lines = isPrinted ? this.listing.printed : (this.listing?.lines ?? []).map((text, at) => [text, [this.listing.first_line + at]]);
    this.lines = lines.map(([text, numbers]) => [made("span", `${text}\n`, { class: "line" }), numbers]);
    this.part("listing").replaceChildren(...this.lines.map(([element]) => element));
    this.#mark();
  }

  // place: { line, variables } of Calls; null while it is not known.  calling: numbers of the lines that wait further up.
  show(place, calling = [], hidden = false) {
    this.at = { line: place?.line, calling };
    this.#mark();
    const variables = hidden || !place ? {} : place.variables, changed = (name) => name in this.before && this.before[name] !== variables[name];
    this.part("variables").replaceChildren(...Object.entries(variables).map(([name, value]) => {
      const pair = made("div");
      pair.append(made("dt", name === "return" ? "returns" : name), made("dd", typeof value === "number" ? number(value) : value || "none", changed(name) ? { class: "changed" } : {}));
      return pair;
    }));
    this.before = variables;
  }

  #mark() {
    let current = null;
    for (const [element, numbers] of this.lines ?? []) {
      const isCurrent = numbers.includes(this.at?.line);
      element.className = isCurrent ? "line at" : numbers.some((line) => this.at?.calling.includes(line)) ? "line waits" : "line";
      if (isCurrent) current ??= element;
      if (isCurrent) element.setAttribute("aria-current", "true"); else element.removeAttribute("aria-current");
    }
    if (current) scrollInto(this.part("listing"), current);
  }
}

// Scrolls the box alone, never the page.
function scrollInto(box, element) {
  const top = element.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + element.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
}
