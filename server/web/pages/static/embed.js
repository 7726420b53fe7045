// One match in a frame of another site: steps through its positions, follows it while it runs. Nothing here acts.

import { clockText } from "./clocks.js";

const TICK_MS = 100, LOW_MS = 10000;
const match = document.getElementById("match"), board = document.getElementById("board");
const path = `/api/v1/matches/${match.dataset.match}`;
let ply = Number(match.dataset.ply), last = Number(match.dataset.last);
let following = match.dataset.live === "yes" && ply === last;
let live = null; // the latest state of a running match, and when it came

function show(at) {
  ply = Math.max(0, Math.min(last, at));
  const address = `${path}/picture/${ply}.svg?v=${match.dataset.key}`;
  if (board.getAttribute("src") !== address) board.src = address;
  board.alt = `Position after ${ply} ${ply === 1 ? "move" : "moves"}`;
  document.getElementById("at").textContent = `${ply} / ${last}`;
}

function go(at) {
  show(at);
  following = live !== null && ply === last;
}

const step = { first: () => go(0), back: () => go(ply - 1), on: () => go(ply + 1), last: () => go(last) };
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last" };

document.addEventListener("keydown", (event) => {
  if (!KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  step[KEYS[event.key]]();
});
document.addEventListener("click", (event) => {
  const control = event.target.closest("[data-go]");
  if (!control) return;
  event.preventDefault();
  step[control.dataset.go]();
});

// --- while it runs

function showClocks() {
  const { clock_ms: both, to_move: mover, thinking_ms: thinking } = live.state;
  for (const element of both ? document.querySelectorAll("[data-clock]") : []) {
    const seat = Number(element.dataset.clock), runs = seat === mover;
    const left = both[seat] - (runs ? thinking + performance.now() - live.came : 0);
    element.textContent = clockText(left);
    element.classList.toggle("runs", runs);
    element.classList.toggle("low", runs && left < LOW_MS);
  }
}

function showResult({ status, result }) {
  for (const bar of document.querySelectorAll(".player-bar")) {
    bar.querySelector(".won-mark").hidden = result?.winner !== Number(bar.dataset.seat);
  }
  document.getElementById("result").textContent = result ? `${result.result}, ${result.sentence}` : status;
}

function follow() {
  const stream = new EventSource(`${path}/live`);
  stream.addEventListener("state", (event) => {
    const state = JSON.parse(event.data);
    live = { state, came: performance.now() };
    last = state.ply;
    show(following ? last : ply);
    showClocks();
    if (state.status === "running") return;
    showResult(state);
    live = null;
    stream.close();
  });
  stream.addEventListener("closing", () => { live = null; }); // its clocks stand still until the server is back
  setInterval(() => { if (live) showClocks(); }, TICK_MS);
}

if (match.dataset.live === "yes") follow();
