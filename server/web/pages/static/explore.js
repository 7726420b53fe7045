// The page of the search explorer: asks for a search, or two, and steps through. Its address says what is searched, how far it is
// stepped, and what is seen.

import { Quiz } from "./explore_ask.js";
import { Comparison } from "./explore_compare.js";
import { byId, copyText, download } from "./dom.js";
import { TreeEditor } from "./explore_edit.js";
import { QuestionForm } from "./explore_form.js";
import { asked, difference, otherIn, questionIn } from "./explore_question.js";
import { Side } from "./explore_side.js";
import { Stepper } from "./explore_stepper.js";

const REMEMBER_MS = 250, SLOW_MS = 300, POSITION = ["game", "position", "moves"];
const THEME = new URLSearchParams(location.search).get("theme") ?? ""; // of a frame of another site

const page = {
  sides: [], active: 0, isEditing: false, isAsking: false, abort: null,

  get side() { return page.sides[page.active] ?? page.sides[0]; },

  // --- told by a side

  // Goes to the beginning of a visit; from there, and of a leaf, to its end.
  chosen(side, visit) {
    const { recording } = side, isHere = recording.entered(visit) === side.step;
    page.choose(side);
    page.go(isHere || recording.isLeaf(visit) ? recording.finished(visit) : recording.entered(visit));
  },
  edited(side, item) { page.editor.open(item); },
  edit() {
    const { side } = page;
    if (side.typed && page.editor) page.editor.open(side.drawing.place(String(side.current)).item);
  },
  changed() { page.remember(); },

  // --- asked for by a key or a button; a frame of another site has not all of it

  // Larger, for a projector, or as before.
  large() {
    if (!byId("large")) return;
    byId("large").ariaPressed = String(document.body.classList.toggle("large"));
    page.remember();
  },
  keys() {
    const box = byId("keys");
    if (box?.open) box.close(); else box?.showModal();
  },

  // The side that is stepped.
  choose(side) {
    page.active = page.sides.indexOf(side);
    for (const each of page.sides) each.root.classList.toggle("active", page.sides.length > 1 && each === page.side);
    stepper.show(page.side);
  },

  // --- steps

  go(step, fine = 0) {
    page.side.show(step, fine);
    page.quiz?.close();
    page.comparison?.follow(page.side);
    page.form?.follow(page.side);
    stepper.show(page.side);
    page.remember();
  },

  // --- the address

  get address() {
    const { side } = page, address = new URLSearchParams(page.sides[0].question), words = (set) => [...set].join(" ");
    const view = {
      step: page.sides[0].step || "", line: page.sides[0].fine || "", folded: words(side.folded), opened: words(side.opened), view: side.mover ? "mover" : "",
      zoom: page.sides[0].pan.text, form: side.listing.form === "ours" ? "ours" : "", size: document.body.classList.contains("large") ? "large" : "",
      ask: page.isAsking ? "1" : "", theme: THEME,
    };
    for (const [name, value] of [...Object.entries(view), ...page.comparison?.address ?? []]) if (value !== "" || name.startsWith("other_")) address.set(name, value);
    return `?${address.toString().replaceAll("%2C", ",").replaceAll("%5B", "[").replaceAll("%5D", "]")}`;
  },

  // A browser takes no more than some changes a second.
  remember() {
    clearTimeout(page.remembering);
    page.remembering = setTimeout(() => {
      history.replaceState(null, "", page.address);
      if (byId("whole")) byId("whole").href = `/explore${page.address}`;
    }, REMEMBER_MS);
  },

  restore(address) {
    const whole = (name) => Math.floor(Number(address.get(name))) || 0;
    const keys = (name) => new Set((address.get(name) ?? "").split(/[ +]/).filter(Boolean)), [side, other] = page.sides;
    Object.assign(side, { folded: keys("folded"), opened: keys("opened") });
    page.choose(side);
    other?.show(whole("other_step"));
    page.go(whole("step"), whole("line"));
    side.pan.text = address.get("zoom") ?? "";
  },

  // --- a search

  // Another question at the same step, at the end if it is there now; of another position at the start.  other: to compare with; as before if it is not given.
  async change(question, other) {
    const [side, beside] = page.sides, isMoved = POSITION.some((name) => question[name] !== side.question?.[name]);
    const step = !side.recording || isMoved ? 0 : side.step === side.last ? Number.MAX_SAFE_INTEGER : side.step;
    const asBefore = () => beside && otherIn(new URLSearchParams(difference(side.question, beside.question)), question);
    page.form?.fill(question);
    await page.explore(question, other === undefined ? asBefore() : other, new URLSearchParams({ step, ...(side.mover && { view: "mover" }) }));
  },

  async explore(question, other, address) {
    page.abort?.abort();
    const abort = page.abort = new AbortController(), says = (text) => { if (page.abort === abort) byId("status").textContent = text; };
    const timer = setTimeout(() => { if (page.abort === abort) byId("cancel-line")?.removeAttribute("hidden"); says("searching"); }, SLOW_MS);
    try {
      const questions = other ? [question, other] : [question], told = (nodes) => says(`${nodes.toLocaleString("en")} nodes visited`);
      const recordings = await Promise.all(questions.map((each) => page.sides[0].asks(each, abort.signal, told)));
      page.comparison?.sides(other);
      page.sides.forEach((side, at) => side.set(questions[at], recordings[at]));
      await page.show(address);
      says("");
    } catch (error) {
      says(error.name === "AbortError" ? "The search is stopped." : error.message);
    } finally {
      clearTimeout(timer);
      if (page.abort === abort) byId("cancel-line")?.setAttribute("hidden", "");
    }
  },

  async show(address) {
    byId("sides").hidden = byId("controls").hidden = false;
    for (const side of page.sides) side.see(address.get("view") === "mover");
    if (byId("view")) byId("view").options[0].text = page.sides[0].recording.head.sides[0];
    const compared = page.comparison?.show();
    page.form?.show(page.sides[0]);
    page.editor?.offer();
    page.quiz?.begin();
    page.restore(address);
    await compared;
  },
};
const stepper = new Stepper(page);

async function start() {
  const address = new URLSearchParams(location.search), question = questionIn(address);
  let examples;
  try {
    [page.listings, examples] = await Promise.all([
      asked("listings").then((answer) => answer.json()).then(({ listings }) => listings),
      byId("question") && asked("examples").then((answer) => answer.json()).then(({ examples: all }) => all),
    ]);
  } catch (error) {
    byId("status").textContent = error.message;
    return;
  }
  page.sides = [new Side(page, page.listings)];
  byId("sides").append(page.side.root);
  page.side.listing.form = address.get("form") ?? "printed";
  if (byId("question")) {
    page.form = new QuestionForm(byId("question"), page.listings, page.change);
    page.form.offer(examples);
    page.form.fill(question);
    page.editor = new TreeEditor(page);
    page.comparison = new Comparison(page);
    page.quiz = new Quiz(page);
    page.isAsking = address.get("ask") === "1";
    byId("ask-mode").ariaPressed = String(page.isAsking);
    byId("view").value = address.get("view") === "mover" ? "mover" : "max";
  }
  await page.explore(question, page.comparison?.restore(address, question), address);
}

const PRESSED = {
  view: ["change", ({ target }) => { for (const side of page.sides) { side.see(target.value === "mover"); side.show(side.step, side.fine); } page.remember(); }],
  copy: ["click", async () => {
    const link = new URL(page.address, location.href).href;
    byId("copied").textContent = await copyText(link) ? "The link is copied." : `The browser does not let this page copy. The link: ${link}`;
  }],
  svg: ["click", () => download(page.side.drawing.file(document.title), "image/svg+xml", `${page.side.name}-${page.side.step}.svg`)],
  large: ["click", () => page.large()],
  "show-keys": ["click", () => page.keys()],
  cancel: ["click", () => page.abort?.abort()],
};
addEventListener("beforeprint", () => {
  for (const { pan } of page.sides) pan.showWhole(true);
  if (page.side?.recording && byId("printed")) byId("printed").textContent = `${byId("in-words").textContent}; step ${page.side.step} of ${page.side.last}. ${new URL(page.address, location.href)}`;
});
addEventListener("afterprint", () => { for (const { pan } of page.sides) pan.showWhole(false); });
for (const [id, [event, does]] of Object.entries(PRESSED)) byId(id)?.addEventListener(event, does);
start(); // not waited for: the page has loaded while it searches
