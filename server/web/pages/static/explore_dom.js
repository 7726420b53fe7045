// Small things that the modules of pages make and find.

export const byId = (id) => document.getElementById(id);

export function made(name, text = "", attributes = {}) {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // pages that come without encryption have no clipboard
    const area = made("textarea", text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export function download(text, type, name) {
  const link = made("a", "", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
