// One match in a frame of another site: steps through its boards, follows it while it runs. Nothing here acts.

import { clockText } from "./clocks.js";
import { BoardSequence } from "./board_sequence.js";

const TICK_MS = 100, LOW_MS = 10000, AGAIN_MS = 2000;
const match = document.getElementById("match"), board = document.getElementById("board");
const path = `/api/v1/matches/${match.dataset.match}`;
let ply = Number(match.dataset.ply), sequence = null;
let following = match.dataset.live === "yes" && ply === Number(match.dataset.last);
let live = null; // the latest event of a running match, and when it came

function show(at) {
  ply = Math.max(0, Math.min(sequence.last, at));
  sequence.draw(board, ply);
  document.getElementById("at").textContent = `${ply} / ${sequence.last}`;
}

function go(at) {
  show(at);
  following = ply === sequence.last;
}

const step = { first: () => go(0), back: () => go(ply - 1), on: () => go(ply + 1), last: () => go(sequence.last) };
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last" };

document.addEventListener("keydown", (event) => {
  if (!sequence || !KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  step[KEYS[event.key]]();
});
document.addEventListener("click", (event) => {
  const control = event.target.closest("[data-go]");
  if (!sequence || !control) return;
  event.preventDefault();
  step[control.dataset.go]();
});

// --- while it runs

function showClocks() {
  const { clock_ms: both, to_move: mover, thinking_ms: thinking } = live.event;
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
  const stream = new EventSource(`${path}/live?after=${sequence.last}`);
  stream.addEventListener("moves", ({ data }) => {
    const event = JSON.parse(data);
    if (event.after !== sequence.last) { // the browser has connected again, with the address of before
      stream.close();
      return follow();
    }
    for (const { parts, board: change } of event.moves) sequence.extend(parts, [change]);
    live = { event, came: performance.now() };
    show(following ? sequence.last : ply);
    showClocks();
    if (event.status === "running") return;
    showResult(event);
    live = null;
    stream.close();
  });
  const halt = () => { live = null; }; // its clocks stand still until the server is back
  stream.addEventListener("closing", halt);
  stream.addEventListener("error", () => {
    halt();
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, AGAIN_MS); // refused: browsers give up then
  });
}

sequence = await BoardSequence.load(`${path}/boards`);
show(following ? sequence.last : ply);
if (match.dataset.live === "yes") {
  follow();
  setInterval(() => { if (live) showClocks(); }, TICK_MS);
}
