// One match: steps through its positions, and follows it while it runs. Without this script every link still works.

import { clockText } from "./clocks.js";
import { reload } from "./live.js";

const PLAY_MS = 700, REFRESH_MS = 800, TICK_MS = 100, LOW_MS = 10000;

const match = document.getElementById("match");
let board = document.getElementById("board");
const slider = document.getElementById("slider");
const pictures = `/api/v1/matches/${match.dataset.match}/picture/`;
let ply = Number(match.dataset.ply);
let last = Number(slider.max);
let following = match.dataset.live === "yes" && ply === last;
let playing = null;
let live = null; // the latest state of a running match, and when it came
let shown = null; // the state that the page shows, of a match that is followed

let turned = false; // the board, to the side of seat 1

const picture = (at) => `${pictures}${at}.svg?v=${match.dataset.key}${turned ? "&seat=1" : ""}`;

// --- one position

function rowAt(at) {
  return document.querySelector(`#moves tr[data-ply="${at}"]`);
}

function show(at, { scroll = true } = {}) {
  ply = Math.max(0, Math.min(last, at));
  if (board) {
    board.src = picture(ply);
    board.alt = `Position after ${ply} ${ply === 1 ? "move" : "moves"}${ply ? `, the last one ${moveAt(ply)}` : ""}`;
  }
  for (const old of document.querySelectorAll("#moves tr.at, .chart rect.at")) old.classList.remove("at");
  const row = rowAt(ply);
  row?.classList.add("at");
  for (const column of document.querySelectorAll(`.chart rect[data-ply="${ply}"]`)) column.classList.add("at");
  if (scroll) scrollTo(row);
  slider.value = ply;
  document.getElementById("at").textContent = `${ply} / ${last}`;
  showClocks();
  showAccount(row);
  for (const near of [ply + 1, ply + 2, ply - 1]) if (near >= 0 && near <= last) new Image().src = picture(near);
}

function moveAt(at) {
  return rowAt(at)?.querySelector(".move")?.textContent ?? "";
}

// The columns that the compact table leaves out, for this one move.
function showAccount(row) {
  const heads = [...document.querySelectorAll("#moves thead .extra")].map((head) => head.textContent);
  const cells = row ? [...row.querySelectorAll(".extra")] : [];
  const lines = cells.map((cell, i) => [heads[i], cell.textContent.trim()]).filter(([, text]) => text);
  if (row) lines.unshift([`Move ${ply}`, moveAt(ply)]);
  document.getElementById("account").replaceChildren(...lines.flatMap(([head, text]) => {
    const [term, value] = [document.createElement("dt"), document.createElement("dd")];
    [term.textContent, value.textContent] = [head, text];
    return [term, value];
  }));
}

// Scrolls the list of moves alone, never the page.
function scrollTo(row) {
  const box = document.querySelector(".moves");
  if (!row) return void (box.scrollTop = ply ? box.scrollHeight : 0);
  const above = row.offsetTop - box.clientHeight / 2;
  box.scrollTop = above;
}

function go(at) {
  following = live !== null && at >= last;
  show(at);
  history.replaceState(null, "", ply === last ? location.pathname : `?ply=${ply}`);
}

// --- replay

const step = { first: () => go(0), back: () => go(ply - 1), on: () => go(ply + 1), last: () => go(last), play: toggle, turn };

function turn() {
  turned = !turned;
  document.querySelector(".board-side").classList.toggle("turned", turned);
  button("turn").ariaPressed = String(turned);
  show(ply);
}

function toggle() {
  playing = playing ? stop() : start();
}

function start() {
  if (ply === last) show(0);
  button("play").ariaPressed = "true";
  return setInterval(() => (ply < last ? go(ply + 1) : (playing = stop())), PLAY_MS);
}

function stop() {
  clearInterval(playing);
  button("play").ariaPressed = "false";
  return null;
}

function button(name) {
  return document.querySelector(`[data-go="${name}"]`);
}

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play", ...(button("turn") && { f: "turn" }) };

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  const pressing = event.key === " " && event.target.closest("a, button");
  if (!KEYS[event.key] || typing || pressing || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  step[KEYS[event.key]]();
});

document.addEventListener("click", (event) => {
  const control = event.target.closest("[data-go]"), named = event.target.closest("[data-go-to]");
  const row = event.target.closest("#moves tr[data-ply], .chart rect[data-ply]");
  if (control) {
    event.preventDefault();
    if (playing && !["play", "turn"].includes(control.dataset.go)) playing = stop();
    step[control.dataset.go]();
  } else if (named) {
    event.preventDefault();
    go(Number(named.dataset.goTo));
  } else if (row && !event.target.closest("a:not(.move)")) {
    event.preventDefault();
    go(Number(row.dataset.ply));
  }
});

slider.addEventListener("input", () => go(Number(slider.value)));

// --- clocks

// Both clocks after `ply`; while the match runs the one that runs goes on by itself. Null before the first move.
function clocks() {
  if (live && ply === last && live.state.clock_ms) {
    const both = [...live.state.clock_ms], seat = live.state.to_move;
    if (seat !== null) both[seat] -= live.state.thinking_ms + (performance.now() - live.came);
    return both;
  }
  const row = rowAt(ply);
  return row?.hasAttribute("data-clock-0") ? [0, 1].map((seat) => Number(row.getAttribute(`data-clock-${seat}`))) : null;
}

function showClocks() {
  const both = clocks();
  for (const element of document.querySelectorAll("[data-clock]")) {
    const seat = Number(element.dataset.clock);
    const runs = Boolean(live && ply === last && live.state.to_move === seat);
    element.dataset.sent ??= element.textContent;
    element.textContent = both ? clockText(both[seat]) : element.dataset.sent;
    element.classList.toggle("runs", runs);
    element.classList.toggle("low", runs && both !== null && both[seat] < LOW_MS);
  }
}

// --- following

let refreshing = false, again = false;

// The table, the chart and the result come from the server's own page, at most one request at a time.
async function freshParts() {
  if (refreshing) return void (again = true);
  refreshing = true;
  try {
    await reload(location.pathname);
    agree();
    show(ply, { scroll: following });
  } catch { /* the stream tells when the server is back */ }
  setTimeout(() => {
    refreshing = false;
    if (again) { again = false; freshParts(); }
  }, REFRESH_MS);
}

// The list of moves as long as what the board shows: the page that was fetched may be of a moment before or after.
function agree() {
  if (!shown) return;
  const { readable, to_move: mover } = shown, body = document.querySelector("#moves tbody");
  const rows = [...body.querySelectorAll("tr[data-ply]")];
  for (const row of rows.splice(last)) row.remove();
  const end = body.querySelector(".waiting, .final");
  for (let at = rows.length + 1; at <= last; at++) {
    const before = rows.at(-1)?.querySelector(".seat-0, .seat-1"); // they move in turn
    const seat = before ? 1 - Number(before.classList.contains("seat-1")) : mover === null ? 0 : (last - at) % 2 ? mover : 1 - mover;
    const row = document.createElement("tr");
    row.dataset.ply = at;
    row.append(cell("number faint", at), cell("", pill(seat)), cell("", moveLink(at, readable[at - 1])));
    body.insertBefore(row, end);
    rows.push(row);
  }
  const thinks = body.querySelector(".waiting td:last-child");
  if (thinks && mover !== null) thinks.textContent = `${nameOf(mover)} is thinking`;
}

function cell(name, content) {
  const made = document.createElement("td");
  made.className = name;
  made.append(content);
  return made;
}

function moveLink(at, text) {
  return Object.assign(document.createElement("a"), { className: "move", href: `?ply=${at}`, textContent: text });
}

const bar = (seat) => document.querySelector(`.player-bar[data-seat="${seat}"]`);
const pill = (seat) => bar(seat).querySelector(".seat").cloneNode(true);
const nameOf = (seat) => bar(seat).querySelector(".who").textContent.trim();

// Board, list and clocks change together, when the picture is there; what came meanwhile is shown next.
let newest = null, drawing = false;

async function draw(state) {
  newest = { state, came: performance.now() };
  if (drawing) return;
  drawing = true;
  while (newest) {
    const next = newest;
    newest = null;
    const loaded = following && board ? await pictureOf(next.state.ply) : null;
    shown = next.state;
    live = shown.status === "running" ? next : null;
    last = next.state.ply;
    slider.max = last;
    if (loaded) {
      for (const name of ["id", "className"]) loaded[name] = board[name];
      board.replaceWith(loaded);
      board = loaded;
    }
    agree();
    if (following) show(last); else showClocks();
  }
  drawing = false;
}

async function pictureOf(at) {
  const image = new Image();
  image.src = picture(at);
  try {
    await image.decode();
    return image;
  } catch {
    return null; // the next state, or the page itself, brings another
  }
}

function follow() {
  const stream = new EventSource(`/api/v1/matches/${match.dataset.match}/live`);
  const stale = document.getElementById("stale");
  stream.addEventListener("state", (event) => {
    const state = JSON.parse(event.data);
    stale.hidden = true;
    if (state.status !== "running") stream.close();
    draw(state).then(freshParts);
  });
  stream.addEventListener("closing", () => { live = null; stale.hidden = false; }); // its clocks stand still
  stream.addEventListener("error", () => { stale.hidden = false; });
  setInterval(() => { if (live) showClocks(); }, TICK_MS);
}

document.body.classList.add("scripted");
for (const hidden of [slider, button("play"), button("turn")]) hidden?.toggleAttribute("hidden", false);
show(ply);
if (match.dataset.live === "yes") follow();
