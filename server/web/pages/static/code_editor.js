// A small editor of a program: a text area with line numbers, keys that indent, and marks at lines that have failed.

import { made } from "./dom.js";

const STEP = "    ";

export class CodeEditor {
  // frame: has the text area and the element of the line numbers.  list: shows the marks as sentences.
  constructor(frame, list) {
    [this.area, this.lines, this.list] = [frame.querySelector("textarea"), frame.querySelector(".editor-lines"), list];
    [this.kept, this.leaves, this.marks] = [this.text, false, []];
    this.area.addEventListener("input", () => this.#number());
    this.area.addEventListener("scroll", () => this.#follow());
    this.area.addEventListener("keydown", (event) => this.#key(event));
    addEventListener("beforeunload", (event) => { if (this.isChanged) event.preventDefault(); });
    this.#number();
  }

  get text() { return this.area.value; }

  get isChanged() { return this.text !== this.kept; }

  // This text, which is or was in the editor, is kept elsewhere now.
  keep(text = this.text) { this.kept = text; }

  show(text, { readOnly = false } = {}) {
    this.area.value = text;
    this.area.readOnly = readOnly;
    this.area.scrollTop = this.area.scrollLeft = 0;
    this.keep();
    this.mark([]);
    this.#number();
  }

  // marks: { line, text }, lines from 1 on.
  mark(marks) {
    this.marks = marks;
    this.list.replaceChildren(...marks.map(({ line, text }) => {
      const item = made("li"), button = made("button", `line ${line}`, { type: "button" });
      button.addEventListener("click", () => this.goTo(line));
      item.append(made("span", "! ", { "aria-hidden": "true" }), button, ` ${text}`);
      return item;
    }));
    this.#draw();
  }

  // Selects a line.
  goTo(line) {
    const before = this.text.split("\n").slice(0, line - 1).join("\n"), begin = line > 1 ? before.length + 1 : 0;
    const end = this.text.indexOf("\n", begin);
    this.area.focus();
    this.area.setSelectionRange(begin, end < 0 ? this.text.length : end);
    this.area.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(this.area).lineHeight));
    this.#follow();
  }

  #number() {
    const wanted = this.text.split("\n").length;
    if (wanted === this.lines.childElementCount) return;
    this.lines.replaceChildren(...Array.from({ length: wanted }, () => made("span")));
    this.#draw();
  }

  #draw() {
    const bad = new Set(this.marks.map(({ line }) => line));
    [...this.lines.children].forEach((row, at) => row.classList.toggle("bad", bad.has(at + 1)));
    this.#follow();
  }

  #follow() { this.lines.scrollTop = this.area.scrollTop; }

  // Tab indents, unless Escape came before it: who has no mouse must get out again.
  #key(event) {
    const leaves = this.leaves;
    this.leaves = event.key === "Escape" || (leaves && event.key === "Shift");
    if (event.key === "Tab" && !leaves && !this.area.readOnly) {
      event.preventDefault();
      this.#indent(event.shiftKey);
    } else if (event.key === "Enter" && !event.isComposing) {
      const before = this.text.slice(0, this.area.selectionStart), line = before.slice(before.lastIndexOf("\n") + 1);
      const indent = line.match(/^\s*/)[0] + (line.trimEnd().endsWith(":") ? STEP : "");
      if (!indent || this.area.readOnly) return;
      event.preventDefault();
      this.#insert(`\n${indent}`);
    }
  }

  #indent(back) {
    const { selectionStart: start, selectionEnd: end } = this.area, begin = this.text.lastIndexOf("\n", start - 1) + 1;
    const chosen = this.text.slice(begin, end);
    if (!back && !chosen.includes("\n")) return this.#insert(STEP);
    const rows = chosen.split("\n").map((row) => (back ? row.replace(/^ {1,4}/, "") : row && STEP + row));
    this.area.setSelectionRange(begin, end);
    this.#insert(rows.join("\n"));
    this.area.setSelectionRange(begin, begin + rows.join("\n").length);
  }

  // As if typed, so that it can be undone.
  #insert(text) {
    if (!document.execCommand("insertText", false, text)) this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
    this.#number();
  }
}
