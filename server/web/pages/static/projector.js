// The projector's page: takes what has changed from the server once a second, runs the clocks in between, fits names.
// Keys: f full screen, space holds the rotation, arrows step through it.

import { clockText } from "./clocks.js";

const REFRESH_MS = 1000, SLOWEST_MS = 5000, PATIENCE_MS = 8000, TICK_MS = 100, LOW_MS = 10000;
const SIZES = 5, SMALLEST_LINE = 3; // classes fit-1 to fit-5 of projector.css: ever smaller, the last two in two lines

let held = null; // the step that is held
let came = performance.now(); // when the clocks on the page were true
let timer = null, asking = 0;

// --- what has changed

// Makes `old` equal to `fresh` and keeps what is equal; an element with another data-key is another thing, and appears anew.
function patch(old, fresh) {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const [was, is] = [[...old.childNodes], [...fresh.childNodes]];
  is.forEach((node, i) => {
    if (!was[i]) old.append(node);
    else if (was[i].nodeName !== node.nodeName || was[i].dataset?.key !== node.dataset?.key) was[i].replaceWith(node);
    else if (node.nodeType === Node.ELEMENT_NODE) patch(was[i], node);
    else if (was[i].data !== node.data) was[i].data = node.data;
  });
  for (const node of was.slice(is.length)) node.remove();
}

const files = (page) => [...page.querySelectorAll("link, script")].map((e) => e.getAttribute("href") ?? e.getAttribute("src")).join();

async function refresh() {
  const number = ++asking;
  clearTimeout(timer);
  let wait = REFRESH_MS;
  try {
    const address = new URL(location.href);
    if (held !== null) address.searchParams.set("step", held);
    const answer = await fetch(address, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (number !== asking) return; // a key was pressed meanwhile
    if (files(fresh) !== files(document)) return location.reload(); // the server is another version now
    patch(document.getElementById("shown"), fresh.getElementById("shown"));
    came = performance.now();
    tick();
    fitAll();
    outOfDate(null);
  } catch {
    if (number !== asking) return;
    outOfDate(came);
    wait = SLOWEST_MS;
  }
  timer = setTimeout(refresh, wait);
}

function outOfDate(since) {
  const stale = document.getElementById("stale");
  document.body.classList.toggle("out-of-date", since !== null);
  stale.hidden = since === null;
  if (since === null) return;
  const at = new Date(Date.now() - (performance.now() - since));
  const text = `No answer from the server since ${at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" })}`;
  if (stale.textContent !== text) stale.textContent = text;
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

function hold(step) {
  held = step;
  document.getElementById("held").hidden = held === null;
  refresh();
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
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
document.fonts.ready.then(fitAnew);
setInterval(tick, TICK_MS);
tick();
fitAll();
timer = setTimeout(refresh, REFRESH_MS);
