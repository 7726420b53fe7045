// Keeps a page fresh by one stream of changes (docs/decisions/019-live-pages.md). A page that nobody sees follows nothing.

const AGAIN_MS = 10000; // after a refusal; when the connection breaks the browser comes back by itself
const SILENCE_MS = 40000; // a beat comes every 15 s: after this the connection is dead, even if nobody has said so

// Times as they are here.
export function localTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    const today = new Date().toDateString() === at.toDateString();
    const clock = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    element.textContent = today ? clock : `${at.toLocaleDateString()} ${clock}`;
    element.title = at.toLocaleString();
    element.dataset.day = today ? at.toLocaleDateString() : ""; // for print
  }
}

const part = (page, name) => page.querySelector(`[data-part="${CSS.escape(name)}"]`);
const isRow = (node) => node.nodeType === Node.ELEMENT_NODE || (node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");

// Makes `old` equal to `fresh` and keeps what is equal; an element with another data-key is another thing, and appears again.
export function patch(old, fresh) {
  if (old.nodeName !== fresh.nodeName || old.dataset?.key !== fresh.dataset?.key) return void old.replaceWith(fresh);
  if (old.nodeType !== Node.ELEMENT_NODE) return void (old.data !== fresh.data && (old.data = fresh.data));
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const [was, is] = [[...old.childNodes], [...fresh.childNodes]];
  is.forEach((node, i) => (was[i] ? patch(was[i], node) : old.append(node)));
  for (const node of was.slice(is.length)) node.remove();
}

// Replaces rows of a part; the splices come from the last to the first.
export function splice(element, splices) {
  for (const [at, removed, rows] of splices) {
    const template = document.createElement("template");
    template.innerHTML = rows.join("");
    localTimes(template.content);
    const old = [...element.childNodes].filter(isRow), gone = old.slice(at, at + removed);
    const fresh = [...template.content.childNodes], named = fresh.filter(isRow);
    if (gone.length === named.length) {
      gone.forEach((row, i) => patch(row, named[i]));
      continue;
    }
    const next = old[at + removed] ?? null;
    for (const row of gone) row.remove();
    for (const node of fresh) element.insertBefore(node, next);
  }
}

const files = (page) => [...page.querySelectorAll("link, script")].map((e) => e.getAttribute("href") ?? e.getAttribute("src")).join();

async function loaded(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// Changes what is different in a page that was loaded again, and returns the number of its state.
function take(fresh) {
  if (files(fresh) !== files(document)) location.reload(); // the server is another version now
  localTimes(fresh);
  for (const element of document.querySelectorAll("[data-part]")) {
    const now = part(fresh, element.dataset.part);
    if (now) patch(element, now);
  }
  return fresh.body.dataset.live;
}

// Follows the page at `address()` from the state `number` on. changed: called after each change; stale: called with true
// when what is shown may be out of date, with false when it is not any more. Returns a function that begins again.
export function follow({ address = () => new URL(location.href), number, changed = () => {}, stale }) {
  let stream = null, timer = null, asked = 0;

  function plan(ms) {
    clearTimeout(timer);
    timer = setTimeout(again, ms);
  }

  function leave() {
    clearTimeout(timer);
    stream?.close();
    stream = null;
  }

  // Nothing changes any more.
  function over() {
    leave();
    stale(false);
  }

  async function again() {
    const mine = ++asked;
    leave();
    try {
      const fresh = await loaded(address());
      if (mine !== asked) return; // it was asked for again meanwhile, perhaps at another address
      number = take(fresh);
      changed();
      if (number) begin(); else over();
    } catch {
      if (mine !== asked) return;
      stale(true);
      plan(AGAIN_MS);
    }
  }

  function begin() {
    leave();
    if (document.hidden) return;
    const followed = address();
    followed.searchParams.set("after", number);
    stream = new EventSource(followed);
    plan(SILENCE_MS);
    stream.addEventListener("open", () => stale(false));
    stream.addEventListener("beat", () => plan(SILENCE_MS));
    stream.addEventListener("fresh", () => stale(false));
    stream.addEventListener("stale", () => stale(true));
    stream.addEventListener("closing", () => stale(true));
    stream.addEventListener("reload", again);
    stream.addEventListener("over", over);
    stream.addEventListener("change", (event) => {
      plan(SILENCE_MS);
      const { from, parts } = JSON.parse(event.data);
      if (String(from) !== String(number)) return void again();
      for (const [name, splices] of Object.entries(parts)) splice(part(document, name), splices);
      number = event.lastEventId;
      changed();
    });
    stream.addEventListener("error", () => {
      stale(true);
      if (stream.readyState === EventSource.CLOSED) plan(AGAIN_MS);
    });
  }

  document.addEventListener("visibilitychange", begin);
  begin();
  followedAgain = again;
  return again;
}

let followedAgain = null;

// Goes to another address of the page that is followed, by changing what is different there.
export function show(address) {
  history.replaceState(null, "", address);
  return followedAgain();
}
