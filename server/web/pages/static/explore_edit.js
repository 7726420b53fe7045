// A typed tree changed where it is drawn: the value of a leaf, a child more, a node less; undone step by step.

import { byId } from "./dom.js";
import { TypedTree } from "./explore_typed_tree.js";

export class TreeEditor {
  // page: side, explore(question, view).  Buttons: #edit, #undo.
  constructor(page) {
    [this.page, this.before, this.node] = [page, [], null];
    byId("edit").addEventListener("click", () => this.#turn(!page.isEditing));
    byId("undo").addEventListener("click", () => this.undo());
    addEventListener("resize", () => requestAnimationFrame(() => { if (!this.#form.hidden) this.#place(); }));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
      else if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.target.closest("input") && this.before.length) { event.preventDefault(); this.undo(); }
    });
  }

  get #form() { return this.page.side.part("edit"); }

  // After every search.
  offer() {
    byId("edit").hidden = !this.page.side.typed;
    byId("undo").hidden = !this.before.length;
    this.close();
  }

  #turn(on) {
    this.page.isEditing = on;
    byId("edit").ariaPressed = String(on);
    document.body.classList.toggle("editing", on);
    if (on) this.page.side.part("sentence").textContent = "Press a leaf to change its value, any node to add a child or to remove it.";
    else this.close();
  }

  // Opens the form at an item of the drawing.
  open(item) {
    const form = this.#form, isLeaf = !item.tree.children.length;
    [this.node, this.key] = [item.tree, item.key];
    form.hidden = false;
    form.elements.value.hidden = form.elements.set.hidden = !isLeaf;
    form.elements.value.value = item.tree.value ?? "";
    form.elements.remove.hidden = !item.tree.parent;
    this.#place();
    [form.onsubmit, form.elements.add.onclick, form.elements.remove.onclick] = [
      (event) => { event.preventDefault(); this.#set(form.elements.value.value.trim()); },
      () => this.#change((tree) => tree.addChild(this.node.number)), () => this.#change((tree) => tree.remove(this.node.number)),
    ];
    (isLeaf ? form.elements.value : form.elements.add).focus();
    form.elements.value.select();
  }

  // The form stands below its node, inside the frame.
  #place() {
    const form = this.#form, { side } = this.page, place = side.drawing.place(this.key);
    if (!place) return this.close(); // it is not drawn any more
    form.style.left = "0";
    const { left, top } = side.pan.place(place);
    form.style.left = `${Math.max(0, Math.min(left, side.part("tree").clientWidth - form.offsetWidth))}px`;
    form.style.top = `${Math.min(top, side.part("tree").clientHeight)}px`;
  }

  close() {
    if (this.page.side && !this.#form.hidden) {
      this.#form.hidden = true;
      this.page.side.part("tree").focus({ preventScroll: true });
    }
  }

  #set(text) {
    const typed = text.replace("−", "-"), value = typed === "" || typed === "?" ? null : Number(typed);
    this.#form.elements.value.setCustomValidity(Number.isInteger(value ?? 0) ? "" : "a whole number, or nothing where it is not known");
    if (this.#form.reportValidity()) this.#change((tree) => tree.setValue(this.node.number, value));
  }

  #change(does) {
    const { side } = this.page, tree = new TypedTree(side.typed.text);
    this.before.push(side.question);
    does(tree);
    this.page.change({ ...side.question, tree: tree.text });
  }

  undo() { this.page.change(this.before.pop()); }
}
