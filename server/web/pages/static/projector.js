// The projector's page: follows what changes on the server, runs the clocks in between, fits names.
// Keys: f full screen, space holds the rotation, arrows step through it.

import { clockText } from "./clocks.js";
import { follow } from "./live.js";

const TICK_MS = 100, LOW_MS = 10000;
const SIZES = 5, SMALLEST_LINE = 3; // classes fit-1 to fit-5 of projector.css: ever smaller, the last two in two lines

let held = null; // the step that is held
let came = performance.now(); // when the clocks on the page were true

// --- what has changed

function address() {
  const shown = new URL(location.href);
  if (held !== null) shown.searchParams.set("step", held);
  return shown;
}

function changed() {
  came = performance.now();
  showHeld();
  tick();
  fitAll();
}

function outOfDate(is) {
  const note = document.getElementById("stale"), clock = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
  document.body.classList.toggle("out-of-date", is);
  if (is && note.hidden) note.textContent = `No answer from the server since ${new Date().toLocaleTimeString([], clock)}`;
  note.hidden = !is;
}

// --- clocks

function tick() {
  if (document.body.classList.contains("out-of-date")) return; // nobody knows what they show now
  for (const clock of document.querySelectorAll(".clock[data-thinking]")) {
    const left = Number(clock.dataset.ms) - Number(clock.dataset.thinking) - (performance.now() - came);
    clock.textContent = clockText(left);
    clock.classList.toggle("low", left < LOW_MS);
  }
}

// --- names

function overflows(element, size) {
  if (size > SMALLEST_LINE) return element.scrollHeight > element.clientHeight + 1;
  const range = document.createRange();
  range.selectNodeContents(element);
  const style = getComputedStyle(element);
  const room = element.getBoundingClientRect().width - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return range.getBoundingClientRect().width > room + 0.01; // clientWidth is rounded, and a cut of half a pixel is a cut
}

function fitAll() {
  for (const element of document.querySelectorAll(".fit")) {
    for (let size = 0; size <= SIZES; size++) {
      if (size > 1) element.classList.remove(`fit-${size - 1}`);
      if (size) element.classList.add(`fit-${size}`);
      if (!overflows(element, size)) break;
    }
  }
}

function fitAnew() {
  for (const element of document.querySelectorAll(".fit")) {
    for (let size = 1; size <= SIZES; size++) element.classList.remove(`fit-${size}`);
  }
  fitAll();
}

// --- keys

function showHeld() {
  document.getElementById("held").hidden = held === null;
}

function hold(step) {
  held = step;
  showHeld();
  again();
}

const shownStep = () => Number(document.getElementById("shown").dataset.step);
const KEYS = {
  " ": () => hold(held === null ? shownStep() : null),
  ArrowRight: () => hold((held ?? shownStep()) + 1),
  ArrowLeft: () => hold((held ?? shownStep()) - 1),
  f: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
};

document.addEventListener("keydown", (event) => {
  const key = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!key || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  event.preventDefault();
  Promise.resolve(key()).catch(() => {}); // a browser may refuse full screen
});

window.addEventListener("resize", fitAnew);
document.fonts.ready.then(fitAnew);
setInterval(tick, TICK_MS);
tick();
fitAll();
const again = follow({ address, changed, number: document.body.dataset.live, stale: outOfDate });
