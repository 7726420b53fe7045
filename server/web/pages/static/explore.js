// The page of the search explorer: asks for a search and steps through it. Its address says what is searched, how far it is
// stepped, and what is seen.

import { byId, copyText, download } from "./explore_dom.js";
import { QuestionForm } from "./explore_form.js";
import { asked, questionIn } from "./explore_question.js";
import { Side } from "./explore_side.js";
import { Stepper } from "./explore_stepper.js";

const page = {
  sides: [], isEditing: false, isAsking: false, abort: null,

  get side() { return page.sides[0]; },

  // --- told by a side

  chosen(side, visit) { page.go(side.recording.entered(visit) === side.step || side.recording.isLeaf(visit) ? side.recording.finished(visit) : side.recording.entered(visit)); },
  edited() {},
  changed() { page.remember(); },

  // --- steps

  go(step, fine = 0) {
    page.side.show(step, fine);
    stepper.show(page.side);
    page.remember();
  },

  // --- the address

  remember() {
    const { side } = page, address = new URLSearchParams(side.question);
    const view = {
      step: side.step || "", line: side.fine || "", folded: [...side.folded].join(" "), opened: [...side.opened].join(" "), view: side.mover ? "mover" : "",
      zoom: side.pan.text, size: document.body.classList.contains("large") ? "large" : "",
    };
    for (const [name, value] of Object.entries(view)) if (value !== "") address.set(name, value);
    history.replaceState(null, "", `?${address.toString().replaceAll("%2C", ",").replaceAll("%5B", "[").replaceAll("%5D", "]")}`);
  },

  restore(address) {
    const { side } = page, keys = (name) => new Set((address.get(name) ?? "").split(/[ +]/).filter(Boolean));
    Object.assign(side, { folded: keys("folded"), opened: keys("opened") });
    page.go(Number(address.get("step")) || 0, Number(address.get("line")) || 0);
    side.pan.text = address.get("zoom") ?? "";
  },

  // --- a search

  async explore(question, address = new URLSearchParams()) {
    page.abort?.abort();
    const abort = page.abort = new AbortController(), says = (text) => { byId("status").textContent = text; };
    const timer = setTimeout(() => { byId("cancel-line").hidden = false; says("searching"); }, 300);
    try {
      await page.side.search(question, abort.signal, (nodes) => says(`${nodes.toLocaleString("en")} nodes visited`));
      says("");
      byId("sides").hidden = byId("controls").hidden = false;
      page.form?.show(page.side);
      page.side.see((address.get("view") ?? byId("view")?.value) === "mover");
      page.restore(address);
    } catch (error) {
      if (page.abort === abort) says(error.name === "AbortError" ? "The search is stopped." : error.message);
    } finally {
      clearTimeout(timer);
      if (page.abort === abort) byId("cancel-line").hidden = true;
    }
  },
};
const stepper = new Stepper(page);

async function start() {
  const address = new URLSearchParams(location.search), question = questionIn(address);
  try {
    const { listings } = await (await asked("listings")).json();
    page.listings = listings;
  } catch (error) {
    byId("status").textContent = error.message;
    return;
  }
  page.sides = [new Side(page, page.listings)];
  byId("sides").append(page.side.root);
  page.form = byId("question") && new QuestionForm(byId("question"), page.listings, (asks) => page.explore(asks));
  page.form?.fill(question);
  if (byId("view")) byId("view").value = address.get("view") === "mover" ? "mover" : "max";
  await page.explore(question, address);
}

const PRESSED = {
  view: ["change", ({ target }) => { page.side.see(target.value === "mover"); page.go(page.side.step, page.side.fine); }],
  copy: ["click", async () => { await copyText(location.href); byId("copied").textContent = "The link is copied."; }],
  svg: ["click", () => download(page.side.drawing.file(document.title), "image/svg+xml", `${page.side.name}-${page.side.step}.svg`)],
  cancel: ["click", () => page.abort?.abort()],
};
for (const [id, [event, does]] of Object.entries(PRESSED)) byId(id)?.addEventListener(event, does);
await start();
