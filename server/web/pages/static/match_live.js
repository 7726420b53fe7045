// Follows a running match: every event brings what is new since the moves that the page has, and everything on the page changes at once.

import { localTimes } from "./live.js";

const AGAIN_MS = 2000, NARROWEST = 40, HALF = 40;

// page: `ply` and `seat` that it shows; `arrive(event)` and `halt()`.
export function follow(match, page) {
  const stale = document.getElementById("stale");
  let source = null, over = false, astray = 0;

  function again() {
    source?.close();
    if (over) return;
    source = new EventSource(`/api/v1/matches/${match}/live?after=${page.ply}&seat=${page.seat}`);
    source.addEventListener("moves", ({ data }) => take(JSON.parse(data)));
    source.addEventListener("closing", late);
    source.addEventListener("stale", late); // the server is not heard, though who shows its pages is there
    source.addEventListener("error", () => {
      late();
      if (source.readyState === EventSource.CLOSED) setTimeout(again, AGAIN_MS); // refused: browsers give up then
    });
  }

  function late() {
    page.halt();
    stale.hidden = false;
  }

  function take(event) {
    if (event.after !== page.ply) { // something is missing: from what the page has, else the whole page
      if (astray++) return location.reload();
      return again();
    }
    [astray, stale.hidden] = [0, true];
    over = event.status !== "running";
    if (over) source.close();
    place(event);
    page.arrive(event);
  }

  again();
  return { again };
}

function place({ moves, falls, longest_ms: longest, html, ply }) {
  const body = document.querySelector('[data-part="moves"]');
  body.querySelector(".waiting, .final")?.remove();
  for (const { seat, page } of moves) {
    body.insertAdjacentHTML("beforeend", page.row);
    append(".bars", page.bar);
    append(".columns", page.column);
    for (const line of document.querySelectorAll(`polyline[data-line="seat-${seat}"]`)) {
      line.setAttribute("points", `${line.getAttribute("points")} ${page.point}`.trim());
    }
  }
  for (const [at, fall] of Object.entries(falls)) body.querySelector(`tr[data-ply="${at}"]`)?.setAttribute("data-fall", fall.toFixed(2));
  const { last, ...parts } = html;
  body.insertAdjacentHTML("beforeend", last);
  for (const [name, text] of Object.entries(parts)) {
    const part = document.querySelector(`[data-part="${name}"]`);
    part.innerHTML = text;
    localTimes(part);
  }
  widen(Math.max(NARROWEST, ply) + 1);
  document.querySelector(".bars")?.setAttribute("transform", `translate(0 ${HALF}) scale(1 ${HALF / (longest || 1)})`);
}

// SVG elements, which `insertAdjacentHTML` would not make in every browser.
function append(group, text) {
  if (!text) return;
  const parsed = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg">${text}</svg>`, "image/svg+xml");
  document.querySelector(group)?.append(...document.importNode(parsed.documentElement, true).children);
}

function widen(width) {
  for (const chart of document.querySelectorAll(".chart > svg")) {
    chart.setAttribute("viewBox", chart.getAttribute("viewBox").replace(/^(\S+ \S+) \S+/, `$1 ${width}`));
    chart.querySelector("line").setAttribute("x2", width);
  }
}
