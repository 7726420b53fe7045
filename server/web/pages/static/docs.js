// A button beside each block of code that copies it; in the list of documents the one shown is in sight.

const SAID_MS = 2000;

async function copied(code) {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent);
  getSelection().selectAllChildren(code); // a page without https has no clipboard, but what is selected can be copied
  document.execCommand("copy");
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
    await copied(block.querySelector("code"));
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, SAID_MS);
  });
}
