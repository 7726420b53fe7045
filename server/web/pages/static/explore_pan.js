// What part of the drawing is seen: fitted into its frame, or as the reader has moved and enlarged it.

const LEAST = .12, MOST = 5, READABLE = .44, LARGEST = 1.5, STEP = 1.25, EDGE = 40, BIT = 80;

export class Pan {
  // svg with a group `.stage` in it.  changed: told when the reader has changed what is seen.  resized: told when its frame has another size.
  constructor(svg, changed, resized) {
    [this.svg, this.stage, this.changed, this.size, this.pointers] = [svg, svg.querySelector(".stage"), changed, { width: 1, height: 1 }, new Map()];
    // scale: against a letter of the page, which a projector's has larger.  x, y: what of the drawing is in the middle of the frame
    [this.scale, this.x, this.y, this.isFitted] = [1, 0, 0, true];
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, ({ pointerId }) => this.pointers.delete(pointerId));
    new ResizeObserver(() => {
      if (svg.hasAttribute("viewBox")) return;
      if (this.isFitted) this.fit(); else this.#apply();
      resized();
    }).observe(svg);
  }

  get #frame() { return { width: this.svg.clientWidth || 1, height: this.svg.clientHeight || 1 }; }

  // Units that are seen side by side at the scale 1.
  get room() { return Math.round(this.#frame.width / this.#unit); }

  get #unit() { return parseFloat(getComputedStyle(this.svg).fontSize) / 16 || 1; } // 1: it is in no page any more
  get #pixels() { return this.scale * this.#unit; }

  // All of it if that can be read, else what is around a place of the drawing.
  fit(size = this.size, place = this.at) {
    const unit = this.#unit;
    [this.size, this.at, this.isFitted] = [size, place, true];
    const height = `${Math.ceil(size.height * LARGEST * unit)}px`; // no more than a small tree needs
    if (this.svg.style.getPropertyValue("--tree-height") !== height) this.svg.style.setProperty("--tree-height", height);
    const frame = this.#frame;
    this.scale = Math.max(READABLE, Math.min(LARGEST, frame.width / size.width / unit, frame.height / size.height / unit));
    this.x = this.#inside(place?.x ?? size.width / 2, size.width, frame.width / this.#pixels);
    this.y = this.#inside(place?.y ?? size.height / 2, size.height, frame.height / this.#pixels);
    this.#apply();
  }

  // The middle of what is seen, so that nothing beside the drawing is; all of it is in the middle, at the top.
  #inside(wanted, whole, seen) { return whole <= seen ? whole / 2 : Math.max(seen / 2, Math.min(whole - seen / 2, wanted)); }

  // On paper: all of the drawing, in a frame of whatever size.
  showWhole(isWhole) {
    if (!isWhole) return void (this.svg.removeAttribute("viewBox"), this.#apply());
    this.svg.setAttribute("viewBox", `0 0 ${Math.ceil(this.size.width)} ${Math.ceil(this.size.height)}`);
    this.stage.removeAttribute("transform");
  }

  // After a step: the place is seen, moved to as little as can be.
  follow(size, place) {
    if (this.isFitted) return this.fit(size, place);
    [this.size, this.at] = [size, place];
    const { width, height } = this.#frame, reach = (along) => Math.max(0, along / 2 / this.#pixels - EDGE);
    this.x = Math.max(place.x - reach(width), Math.min(place.x + reach(width), this.x));
    this.y = Math.max(place.y - reach(height), Math.min(place.y + reach(height), this.y));
    this.#apply();
  }

  // As an address has it: scale and middle; "" while it is fitted.
  get text() { return this.isFitted ? "" : [this.scale, this.x, this.y].join(","); }
  set text(text) {
    const numbers = text.split(",").map(Number);
    if (numbers.length !== 3 || !numbers.every(Number.isFinite)) return;
    [this.scale, this.x, this.y, this.isFitted] = [Math.max(LEAST, Math.min(MOST, numbers[0])), numbers[1], numbers[2], false];
    this.follow(this.size, this.at); // in a frame of another size the drawing is another
  }

  // by: 1 enlarges one step, -1 the other way.  x, y: a place of the frame that stays.
  zoom(by, x = this.#frame.width / 2, y = this.#frame.height / 2) {
    const scale = Math.max(LEAST, Math.min(MOST, this.scale * STEP ** by)), { width, height } = this.#frame;
    const nearer = (1 / this.scale - 1 / scale) / this.#unit;
    this.#by((x - width / 2) * nearer, (y - this.#middle) * nearer, scale);
  }

  // Where in the frame the middle of what is seen lies; a small tree stands at the top.
  get #middle() { return this.isFitted ? Math.min(this.#frame.height / 2, this.size.height * this.#pixels / 2) : this.#frame.height / 2; }

  // Where in the frame a place of the drawing is, in pixels.
  place({ x, y }) { return { left: this.#frame.width / 2 + (x - this.x) * this.#pixels, top: this.#middle + (y - this.y) * this.#pixels }; }

  // By steps to the right and down.
  pan(right, down) { this.#by(right * BIT / this.#pixels, down * BIT / this.#pixels); }

  #by(x, y, scale = this.scale) {
    [this.x, this.y, this.scale, this.isFitted] = [this.x + x, this.y + y, scale, false];
    this.x = Math.max(0, Math.min(this.size.width, this.x));
    this.y = Math.max(0, Math.min(this.size.height, this.y));
    [this.scale, this.x, this.y] = [this.scale, this.x, this.y].map((number) => Number(number.toFixed(3))); // as the address has them
    this.#apply();
    this.changed();
  }

  #apply() {
    const pixels = this.#pixels, [x, y] = [this.#frame.width / 2 - this.x * pixels, this.#middle - this.y * pixels].map((number) => number.toFixed(1));
    this.stage.setAttribute("transform", `translate(${x} ${y}) scale(${pixels.toFixed(4)})`);
  }

  // --- wheel, fingers, mouse

  // The page scrolls as it does everywhere, until the tree has been pressed or the reader pinches.
  #wheel(event) {
    if (!event.ctrlKey && !this.svg.matches(":focus, :focus-within")) return;
    event.preventDefault();
    const box = this.svg.getBoundingClientRect();
    this.zoom(-Math.sign(event.deltaY) * Math.min(1, Math.abs(event.deltaY) / 60), event.clientX - box.x, event.clientY - box.y);
  }

  #down(event) {
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.moved = 0;
  }

  #move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY], [x, y] = [now[0] - before[0], now[1] - before[1]];
    this.moved += Math.abs(x) + Math.abs(y);
    if (this.moved < 6) return;
    if (!this.svg.hasPointerCapture(event.pointerId)) this.svg.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, now);
    const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
    if (!other) return void this.#by(-x / this.#pixels, -y / this.#pixels);
    const apart = (one) => Math.hypot(one[0] - other[0], one[1] - other[1]), box = this.svg.getBoundingClientRect();
    this.zoom(Math.log(apart(now) / Math.max(1, apart(before))) / Math.log(STEP), other[0] - box.x, other[1] - box.y);
  }

  // Whether the press that has just ended has moved the drawing, and so chose nothing.
  get wasMoved() { return this.moved >= 6; }
}
