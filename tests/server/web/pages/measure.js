// What a page shows that it should not; `strangers` are the texts that others have chosen. Returns a list of sentences.
(strangers) => {
  const found = [];
  const say = (what, element) => found.push(`${what}: ${element.outerHTML.replace(/\s+/g, " ").slice(0, 160)}`);
  const root = document.documentElement;
  if (root.scrollWidth > window.innerWidth) {
    found.push(`scrolls sideways: ${root.scrollWidth} of ${window.innerWidth}`);
    for (const e of document.body.querySelectorAll("*")) {
      if (e.getBoundingClientRect().right + window.scrollX > window.innerWidth + 1 && !clipped(e)) { say("too wide", e); break; }
    }
  }

  function clipped(element) {
    for (let e = element.parentElement; e && e !== document.body; e = e.parentElement) {
      if (getComputedStyle(e).overflowX !== "visible") return true;
    }
    return false;
  }

  // --- what can be seen of each text: a rectangle, and the element that has it
  const texts = [], outer = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, element = node.parentElement;
    if (!node.data.trim() || element.closest("svg, select, .skip") || !element.checkVisibility({ opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const lines = [...range.getClientRects()];
    if (lines.length) texts.push({ node, element, lines });
    if (new Set(lines.map((line) => Math.round(line.top / 8))).size > 1 && element.matches("p, li, dd, td") && lines[0].width > 52 * parseFloat(getComputedStyle(element).fontSize)) {
      say("lines too long to read", element);
    }
    mine(node, element);
  }

  // A stranger's text that runs from right to left, or turns the rest around, turns nothing but itself: nothing follows it.
  function mine(node, element) {
    const text = node.data.trim();
    if (!/[\u0590-\u08ff\u202a-\u202e]/.test(text)) return;
    let apart = element;
    while (!/isolate|plaintext/.test(getComputedStyle(apart).unicodeBidi)) apart = apart.parentElement;
    if (apart.matches("bdi")) return;
    if (!strangers.some((name) => text.endsWith(name)) || !apart.textContent.trim().endsWith(text)) say("turns what follows it", element);
  }

  // --- what lies on something else
  const box = (element) => {
    if (!outer.has(element)) outer.set(element, clip(element));
    return outer.get(element);
  };
  function clip(element) {
    if (element === document.body || !element) return { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6, fixed: false };
    const around = box(element.parentElement), style = getComputedStyle(element);
    const fixed = around.fixed || /sticky|fixed|absolute/.test(style.position);
    if (style.overflowX === "visible") return { ...around, fixed };
    const own = element.getBoundingClientRect();
    return {
      left: Math.max(around.left, own.left), top: Math.max(around.top, own.top),
      right: Math.min(around.right, own.right), bottom: Math.min(around.bottom, own.bottom), fixed,
    };
  }
  const seen = [];
  for (const { element, lines } of texts) {
    const around = box(element);
    if (around.fixed) continue;
    for (const line of lines) {
      const [left, right] = [Math.max(line.left, around.left), Math.min(line.right, around.right)];
      const [top, bottom] = [Math.max(line.top, around.top), Math.min(line.bottom, around.bottom)];
      if (right - left > 2 && bottom - top > 6) seen.push({ element, left, right, top: top + 4, bottom: bottom - 4 });
    }
  }
  seen.sort((a, b) => a.top - b.top);
  seen.forEach((one, i) => {
    for (let j = i + 1; j < seen.length && seen[j].top < one.bottom; j++) {
      const other = seen[j];
      if (other.element === one.element || other.left > one.right - 2 || one.left > other.right - 2) continue;
      say(`lies on ${other.element.outerHTML.slice(0, 80)}`, one.element);
      return;
    }
  });

  // --- names that are cut say elsewhere what they are
  for (const e of document.querySelectorAll("main *")) {
    if (getComputedStyle(e).textOverflow !== "ellipsis" || e.scrollWidth <= e.clientWidth + 1) continue;
    if (!e.closest("[title]") && !e.querySelector("[title]") && !e.closest(".projected")) say("cut without its whole text", e);
  }

  // --- one page, one heading, one title
  const heads = [...document.querySelectorAll("h1, h2, h3, h4")].filter((e) => !e.closest("[hidden]"));
  if (heads.filter((e) => e.matches("h1")).length !== 1) found.push(`${heads.filter((e) => e.matches("h1")).length} h1`);
  if (!/\S.* · Tabiya$/.test(document.title)) found.push(`title ${document.title}`);
  if (window.broken || window.ran) found.push("a stranger's script has run");
  const foreign = performance.getEntriesByType("resource").map((e) => e.name).filter((name) => !name.startsWith(location.origin));
  if (foreign.length) found.push(`asks elsewhere: ${foreign}`);
  return found;
}
