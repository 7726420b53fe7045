// Which lines of her file a program's failures name: in what it printed, in the sentence of a refusal, in a lost match.

const FRAME = /([^\s/\\"]+\.py), line (\d+)/; // of a path its last part
const SENTENCE = /([^\s/\\"]+\.py)(?: is not valid Python [\d.]+:|,) line (\d+): (.*)$/;

// { file, line, text } of each error: the innermost line of the author's, and what was wrong.
export function linesIn(text) {
  const found = [];
  let at = null;
  for (const row of text.split("\n")) {
    const sentence = row.match(SENTENCE), frame = row.match(FRAME);
    if (sentence) found.push({ file: sentence[1], line: Number(sentence[2]), text: sentence[3] });
    else if (frame) at = { file: frame[1], line: Number(frame[2]) };
    else if (at && /^\S/.test(row)) {
      found.push({ ...at, text: row });
      at = null;
    }
  }
  return found;
}

// Those in one file, each once.
export function marksIn(texts, file) {
  const seen = new Map();
  for (const { line, text, file: named } of texts.flatMap(linesIn)) {
    if (named === file && !seen.has(`${line} ${text}`)) seen.set(`${line} ${text}`, { line, text });
  }
  return [...seen.values()];
}
