// Stepping: buttons, keys, the slider, and playing by itself.

import { byId } from "./dom.js";

const KEYS = {
  ArrowRight: "on", ArrowLeft: "back", PageDown: "on", PageUp: "back", Home: "first", End: "last", c: "cut", C: "uncut", r: "return", R: "enter",
  ".": "line", ",": "unline", " ": "play", "+": "larger", "=": "larger", "-": "smaller", 0: "fit", f: "fold", e: "edit", p: "large", "?": "keys",
};
const PANS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

export class Stepper {
  // page: side (which is stepped), go(step, line).
  constructor(page) {
    [this.page, this.playing] = [page, null];
    byId("controls").addEventListener("click", ({ target }) => {
      const name = target.closest("[data-go]")?.dataset.go;
      if (name) this.do(name);
    });
    byId("slider").addEventListener("input", ({ target }) => { this.stop(); page.go(Number(target.value)); });
    byId("speed").addEventListener("change", () => { if (this.playing) { this.stop(); this.#play(); } });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  show(side) {
    const slider = byId("slider");
    [slider.max, slider.value] = [side.last, side.step];
    slider.ariaValueText = `step ${side.step} of ${side.last}`;
    byId("at").textContent = `${side.step.toLocaleString("en")} / ${side.last.toLocaleString("en")}`;
  }

  async do(name) {
    const { side } = this.page, { recording } = side, { visit, isEnd } = recording.at(side.step);
    if (name === "play") return this.playing ? this.stop() : this.#play();
    this.stop();
    if (name === "on" && this.page.isAsking) return this.page.quiz.on();
    const up = isEnd && recording.parents[visit] >= 0 ? recording.parents[visit] : visit;
    const to = {
      first: () => 0, last: () => side.last, on: () => side.step + 1, back: () => side.step - (side.fine ? 0 : 1),
      cut: () => recording.nextCut(side.step) ?? side.last, uncut: () => recording.cutBefore(side.step) ?? 0,
      return: () => recording.finished(up), enter: () => recording.entered(isEnd ? visit : recording.parents[visit] < 0 ? visit : recording.parents[visit]),
    }[name];
    if (to) return this.page.go(to());
    if (name === "line" || name === "unline") return this.page.go(...await side.byLine(name === "line" ? 1 : -1));
    if (name === "fold") return side.toggle();
    if (["edit", "large", "keys"].includes(name)) return this.page[name]();
    side.do(name);
  }

  #play() {
    const { page } = this;
    if (page.isAsking) return this.page.quiz.on();
    if (page.side.step >= page.side.last) page.go(0);
    byId("controls").querySelector("[data-go=play]").ariaPressed = "true";
    this.playing = setInterval(() => {
      if (page.side.step < page.side.last) page.go(page.side.step + 1);
      else this.stop();
    }, 1000 / Number(byId("speed").value));
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    byId("controls").querySelector("[data-go=play]").ariaPressed = "false";
  }

  #key(event) {
    const { key, target } = event, isTyping = target.closest("input:not([type=range]), select, textarea"), isPressing = key === " " && target.closest("a, button, summary");
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping || isPressing || byId("controls").hidden || (byId("keys")?.open && key !== "?")) return;
    if (event.shiftKey && PANS[key]) {
      event.preventDefault();
      return this.page.side.pan.pan(...PANS[key]);
    }
    const name = KEYS[key];
    if (!name) return;
    event.preventDefault();
    this.do(name);
  }
}
