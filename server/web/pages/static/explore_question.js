// What is searched and how, as an address has it: the fields of the API's question, only those that are not as usual.

export const FIELDS = [
  "algorithm", "tree", "min_begins", "game", "position", "moves", "depth", "order", "sort_top", "heap", "iterate", "grain", "quiescence",
  "wins", "near", "evaluation", "alpha", "beta",
];
const API = "/api/v1/explorer", OTHER = "other_";
export const FIRST = { tree: "000", algorithm: "000-alphabeta" }; // what the page shows to who has asked for nothing

export function questionIn(address) {
  const found = Object.fromEntries(FIELDS.filter((name) => address.get(name)).map((name) => [name, address.get(name)]));
  return found.tree || found.game ? found : { ...FIRST, ...found };
}

// The question to compare with: the same but for the fields that are given as `other_...`; null if there is none.
export function otherIn(address, question) {
  const changed = FIELDS.filter((name) => address.has(OTHER + name)).map((name) => [name, address.get(OTHER + name)]);
  return changed.length ? clean({ ...question, ...Object.fromEntries(changed) }) : null;
}

// Only the fields that say something.
export function clean(question) { return Object.fromEntries(FIELDS.filter((name) => question[name]).map((name) => [name, String(question[name])])); }

export function difference(question, other) {
  return FIELDS.filter((name) => (question[name] ?? "") !== (other[name] ?? "")).map((name) => [OTHER + name, other[name] ?? ""]);
}

// An answer of the explorer. Throws an Error with the server's sentence.
export async function asked(what, question = {}, { signal, ...more } = {}) {
  const answer = await fetch(`${API}/${what}?${new URLSearchParams({ ...question, ...more })}`, { signal }).catch((error) => {
    throw error.name === "AbortError" ? error : new Error("The server does not answer; try again.");
  });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw new Error(problem.detail ?? `the server answers ${answer.status}`);
}
