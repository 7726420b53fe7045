// One match: steps through its boards, which all come in one document, and through the lines that its bots expect; match_live.js
// follows it while it runs. Without this script every link still works.

import { BoardSequence } from "./board_sequence.js";
import { clockText } from "./clocks.js";
import { copyText, made } from "./dom.js";
import { follow } from "./match_live.js";

const PLAY_MS = 700, TICK_MS = 100, LOW_MS = 10000, SWIPE_PX = 40;

const match = document.getElementById("match"), board = document.getElementById("board");
const slider = document.getElementById("slider"), lineBox = document.getElementById("line");
const address = `/api/v1/matches/${match.dataset.match}`;
let ply = Number(match.dataset.ply), last = Number(slider.max), wanted = ply === last;
let sequence = null, seat = 0, arrows = true, playing = null;
let side = 0; // the seat whose side was asked for last; its boards may be on their way
let now = null; // clocks of a running match, and when they came
let isOver = match.dataset.live !== "yes", final = null; // the clocks at its end; null: those with which the page came
let imagined = null; // a line that is played through: its sequence, and how far

const find = (selector) => document.querySelector(selector);
const button = (name) => find(`[data-go="${name}"]`);
const rowAt = (at) => find(`#moves tr[data-ply="${at}"]`);
const moveAt = (at) => rowAt(at)?.querySelector(".move").textContent ?? "";
const told = (row, name) => row?.querySelector(name)?.textContent.trim() ?? "";

// --- one position

function show(at, { scroll = true } = {}) {
  ply = Math.max(0, Math.min(last, at));
  imagined = null;
  draw();
  for (const old of document.querySelectorAll("#moves tr.at, .chart rect.at")) old.classList.remove("at");
  const row = rowAt(ply);
  for (const shown of [row, ...document.querySelectorAll(`.chart rect[data-ply="${ply}"]`)]) shown?.classList.add("at");
  if (scroll) scrollTo(row);
  slider.value = ply;
  find("#at").textContent = `${ply} / ${last}`;
  showClocks();
  showAccount(row);
  showLine(row);
}

function draw() {
  if (!board || !sequence) return;
  const line = imagined?.sequence && imagined;
  const [shown, at] = line ? [line.sequence, line.at] : [sequence, Math.min(ply, sequence.last)];
  shown.draw(board, at, arrows);
  board.dataset.shown = line ? "" : at;
  board.classList.toggle("imagined", Boolean(line));
  for (const of of [0, 1]) for (const tally of document.querySelectorAll(`[data-tally="${of}"]`)) tally.textContent = shown.boards[at].tally[of];
  const picture = find("#picture");
  picture.href = picture.href.replace(/\d+\.svg.*v=/, `${ply}.svg?${seat ? "seat=1&" : ""}v=`);
  picture.download = picture.download.replace(/\d+\.svg/, `${ply}.svg`);
  const explore = find("#explore");
  explore.href = `/explore?${new URLSearchParams({ game: document.body.dataset.game, position: shown.boards[at].position })}`;
  explore.hidden = false;
}

// The columns that the compact table leaves out, for this one move.
function showAccount(row) {
  const heads = [...document.querySelectorAll("#moves thead .extra")].map((head) => head.textContent);
  const cells = row ? [...row.querySelectorAll(".extra")] : [];
  const lines = cells.map((cell, i) => [heads[i], cell.textContent.trim()]).filter(([, text]) => text);
  if (row) lines.unshift([`Move ${ply}`, moveAt(ply)]);
  find("#account").replaceChildren(...lines.flatMap(([head, text]) => [made("dt", head), made("dd", text)]));
}

// Scrolls the list of moves alone, never the page.
function scrollTo(row) {
  const box = find(".moves");
  box.scrollTop = row ? row.offsetTop - box.clientHeight / 2 : ply ? box.scrollHeight : 0;
}

function go(at) {
  show(at);
  wanted = ply === last;
  history.replaceState(null, "", wanted ? location.pathname : `?ply=${ply}`);
}

// --- the line that the bot which moved expects

function showLine(row) {
  const moves = told(row, ".line").split(" ").filter(Boolean), who = told(row, ".seat");
  lineBox.hidden = !find("#moves [data-line]");
  if (!moves.length) return lineBox.replaceChildren();
  const steps = moves.map((move, at) => made("button", move, { "data-line-to": at + 1, ...(imagined?.at === at + 1 && { "aria-current": "true" }) }));
  const note = imagined ? [made("span", " not played: an expected line ", { class: "imagined" }), made("button", "back to the game", { "data-line-to": 0 })] : [];
  lineBox.replaceChildren(`${who} expects: `, ...steps, ...note);
}

async function imagine(at) {
  const of = ply;
  if (at <= 0) return show(of, { scroll: false });
  if (imagined) imagined.at = at;
  else {
    const mine = imagined = { sequence: null, at };
    mine.sequence = await BoardSequence.load(`${address}/boards?seat=${seat}&line=${of}`, () => mine === imagined);
    if (mine !== imagined) return; // somebody has stepped on meanwhile
    if (!mine.sequence) return show(of, { scroll: false });
  }
  if (!imagined.sequence) return;
  imagined.at = Math.min(imagined.at, imagined.sequence.last);
  draw();
  showLine(rowAt(ply));
}

// --- stepping

const step = {
  first: () => go(0), back: () => go(ply - 1), on: () => go(ply + 1), last: () => go(last), play: toggle, turn, copy,
  fall: () => fall(1), unfall: () => fall(-1), into: () => imagine((imagined?.at ?? 0) + 1), out: () => imagine((imagined?.at ?? 0) - 1),
  leave: () => imagine(0), arrows: () => { arrows = press("arrows", !arrows); draw(); },
};
const KEYS = {
  ArrowLeft: "back", ArrowRight: "on", ArrowDown: "into", ArrowUp: "out", Escape: "leave", Home: "first", End: "last", " ": "play",
  n: "fall", N: "unfall", f: "turn", a: "arrows", c: "copy",
};

function press(name, on) {
  button(name).ariaPressed = String(on);
  return on;
}

// The next move, or the one before, by which the evaluation fell much.
function fall(way) {
  const falls = [...document.querySelectorAll("#moves [data-fall]")].map((row) => Number(row.dataset.ply));
  const ahead = falls.filter((at) => (at - ply) * way > 0);
  if (falls.length) go(way > 0 ? ahead[0] ?? falls[0] : ahead.at(-1) ?? falls.at(-1));
}

async function turn() {
  if (!await load(1 - side)) return;
  find(".board-side").classList.toggle("turned", press("turn", seat === 1));
  stream?.again();
  const line = imagined;
  imagined = null;
  if (line) await imagine(line.at); // from the other side, too
}

function toggle() {
  if (playing) return stop();
  if (ply === last) show(0);
  press("play", true);
  playing = setInterval(() => (ply < last ? go(ply + 1) : stop()), PLAY_MS);
}

function stop() {
  clearInterval(playing);
  playing = null;
  press("play", false);
}

async function copy() {
  if (!sequence) return;
  const text = (imagined?.sequence ? imagined.sequence.boards[imagined.at] : sequence.boards[ply]).position;
  const word = await copyText(text) ? "copied" : "to be copied by hand";
  find("#copied").textContent = `${word}: ${text}`;
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  const pressing = event.key === " " && event.target.closest("a, button");
  const scrolling = event.key.startsWith("Arrow") && event.target.closest(".wide") && !event.key.match(/Left|Right/);
  const name = KEYS[event.key];
  if (!name || typing || pressing || scrolling || event.ctrlKey || event.altKey || event.metaKey) return;
  if (name === "turn" && !button("turn")) return;
  if (["into", "out"].includes(name) && !imagined && !rowAt(ply)?.querySelector("[data-line]")) return; // the page scrolls
  event.preventDefault();
  step[name]();
});

document.addEventListener("click", (event) => {
  const at = (name) => event.target.closest(name);
  const [control, named, line] = [at("[data-go]"), at("[data-go-to]"), at("[data-line-to]")];
  const row = at("#moves tr[data-ply], .chart rect[data-ply]");
  if (control) {
    event.preventDefault();
    if (playing && !["play", "turn", "arrows"].includes(control.dataset.go)) stop();
    step[control.dataset.go]();
  } else if (line) {
    imagine(Number(line.dataset.lineTo));
  } else if (named) {
    event.preventDefault();
    go(Number(named.dataset.goTo));
  } else if (row && !at("a:not(.move)")) {
    event.preventDefault();
    go(Number(row.dataset.ply));
  }
});

let touched = null;
board?.addEventListener("touchstart", ({ touches: [finger] }) => { touched = finger.clientX; }, { passive: true });
board?.addEventListener("touchend", ({ changedTouches: [finger] }) => {
  const moved = finger.clientX - touched;
  if (Math.abs(moved) > SWIPE_PX) go(ply + (moved < 0 ? 1 : -1));
});

slider.addEventListener("input", () => go(Number(slider.value)));

// --- clocks

// Both clocks after `ply`; while the match runs the one that runs goes on by itself. Null: as the page came with them.
function clocks() {
  if (now?.clock_ms && ply === last) {
    const both = [...now.clock_ms];
    if (now.to_move !== null && !now.halted) both[now.to_move] -= now.thinking_ms + (performance.now() - now.came);
    return both;
  }
  if (isOver && ply === last) return final;
  const row = rowAt(ply);
  return row?.hasAttribute("data-clock-0") ? [0, 1].map((of) => Number(row.getAttribute(`data-clock-${of}`))) : null;
}

function showClocks() {
  const both = clocks();
  for (const element of document.querySelectorAll("[data-clock]")) {
    const of = Number(element.dataset.clock), runs = Boolean(now && ply === last && now.to_move === of);
    element.dataset.sent ??= element.textContent;
    element.textContent = both ? clockText(both[of]) : element.dataset.sent;
    element.classList.toggle("runs", runs);
    element.classList.toggle("low", runs && both !== null && both[of] < LOW_MS);
  }
}

// --- following

const page = {
  get ply() { return last; },
  get seat() { return seat; },
  // Everything of one event at once, so that no part is ahead of another.
  arrive(event) {
    for (const { parts, board: change, ply: number } of event.moves) if (sequence?.last === number - 1) sequence.extend(parts, [change]);
    last += event.moves.length;
    slider.max = last;
    now = event.status === "running" ? { ...event, came: performance.now() } : null;
    if (event.status === "ended") [isOver, final] = [true, event.clock_ms];
    if (imagined) find("#at").textContent = `${ply} / ${last}`; // who plays a line through is left alone
    else show(wanted ? last : ply, { scroll: wanted });
  },
  halt() { if (now) now = { ...now, halted: true, thinking_ms: now.thinking_ms + performance.now() - now.came }; },
};
let stream = null;

// Whether the boards from the side of a seat are there: not where another side was asked for meanwhile.
async function load(of) {
  if (!board) return false;
  side = of;
  let loaded;
  do loaded = await BoardSequence.load(`${address}/boards?seat=${of}`, () => side === of); while (loaded && side === of && loaded.last < last); // moves have come meanwhile
  if (!loaded || side !== of) return false;
  [sequence, seat] = [loaded, of];
  board.dataset.sequence = seat;
  draw();
  return true;
}

document.body.classList.add("scripted");
for (const hidden of document.querySelectorAll("#slider, [data-go][hidden]")) hidden.hidden = false;
if (!find("#moves [data-fall]") && match.dataset.live !== "yes") button("fall").hidden = true;
show(ply);
await load(0);
if (match.dataset.live === "yes") {
  stream = follow(match.dataset.match, page);
  setInterval(() => { if (now) showClocks(); }, TICK_MS);
}
