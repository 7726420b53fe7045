// Asks the server's API in the name of who has signed in: the browser sends the cookie along by itself.

const MOST_BYTES = 1_000_000; // of an upload; the server says the same, but only after everything was sent

export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

// The answer to a question, or with an order to that, of which the rest is still to come; throws Refused with the server's sentence.
export async function answered(path, order) {
  const sent = order && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(order) };
  const answer = await fetch(`/api/v1/${path}`, sent).catch(() => null);
  if (!answer) throw new Refused("The server does not answer; try again.", 0);
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  throw new Refused(told.detail ?? `The server answers ${answer.status}.`, answer.status);
}

export async function ask(path, order) {
  return (await answered(path, order)).json().catch(() => ({}));
}

export const botPath = (name) => `bots/${encodeURIComponent(name)}`;

// A page of this server as a document, to take parts of it.
export async function page(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } }).catch(() => null);
  return answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
}

// A file as the API wants it.
export async function inBase64(file) {
  if (file.size > MOST_BYTES) throw new Refused(`${file.name} has ${Math.ceil(file.size / 1000)} kB; a program has at most ${MOST_BYTES / 1000} kB`, 0);
  const reader = new FileReader();
  await new Promise((read, failed) => {
    reader.onload = read;
    reader.onerror = () => failed(new Refused(`${file.name} cannot be read; is it still there? A folder is uploaded as a zip.`, 0));
    reader.readAsDataURL(file);
  });
  return reader.result.slice(reader.result.indexOf(",") + 1);
}
