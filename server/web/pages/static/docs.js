// A button beside each block of code that copies it; in the list of documents the one shown is in sight.

const SAID_MS = 2000;

// Whether the browser has let the page copy it; if not, it is selected.
async function isCopied(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch { // a page without https has no clipboard, but what is selected can be copied
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }
}

const list = document.querySelector(".docs-side"), shown = list?.querySelector("[aria-current]");
if (shown) list.scrollTop = shown.offsetTop - list.clientHeight / 2; // the list alone: the page stays at its head

for (const block of document.querySelectorAll("main pre")) {
  const frame = document.createElement("div");
  const button = document.createElement("button");
  frame.className = "block";
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-live", "polite");
  block.replaceWith(frame);
  frame.append(block, button);
  button.addEventListener("click", async () => {
    button.textContent = await isCopied(block.querySelector("code")) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, SAID_MS);
  });
}
