// The page of hosted programs: who is there, what is handed in, what becomes of it.

import { CodeEditor } from "./code_editor.js";
import { byId } from "./dom.js";
import { ask, botPath, inBase64 } from "./my_bot_api.js";
import { ClassList } from "./my_bot_class.js";
import { ratingsOf, showFailures, showRecord } from "./my_bot_results.js";
import { signIn } from "./my_bot_sign_in.js";
import { deadlineSentence, nowSentence, showReport, showVersions, showWishes } from "./my_bot_versions.js";
import { marksIn } from "./program_marks.js";

const SOON_MS = 1500, LATER_MS = 6000, RECORD_MS = 15000; // how often is asked: while something is examined, else, for results
const USUAL_FILE = "bot.py", START = byId("text").value;
const WAIT = "Another request is still running; try again in a moment.";

const editor = new CodeEditor(byId("editor"), byId("marks"));
let bot = ""; // whose programs are shown
let deadline = null, disabled = false;
let programs = [], wishes = [], failures = [], ratings = new Map();
let shown = null; // number of the version whose report is shown
let edited = null; // the version whose file is in the editor: { number, file, digest }; null: a start
let timer = null, known = "", recordAt = 0;
let busy = null; // what is under way, as a thing of its own
let asks = 0, newest = 0, silence = ""; // questions of the list, the latest that was answered, and what is said while none is

function say(text) { byId("status").textContent = text; }

// Does what may be refused, one thing at a time, and says why if it is; not to who has come since.
async function tried(does) {
  if (busy) return void say(WAIT);
  const mine = busy = {}, asked = bot;
  byId("save").disabled = true;
  try {
    say("");
    await does();
  } catch (refused) {
    if (asked === bot) say(refused.message);
  } finally {
    if (mine === busy) {
      busy = null;
      if (byId("status").textContent === WAIT) say("");
      closeOrOpen();
    }
  }
}

// Nothing can be handed in after the deadline, or of a bot that is disabled.
function closeOrOpen() {
  const sentence = disabled ? `The programs of ${bot} are disabled: they do not play and cannot be changed. Ask the person who runs the server.` : deadlineSentence(deadline);
  byId("closed").textContent = sentence;
  byId("closed").hidden = !sentence;
  byId("save").disabled = byId("file").disabled = disabled || (deadline !== null && Date.now() >= deadline * 1000);
}

// --- handing in

async function handIn(file) {
  say(`${file.name} is sent.`);
  const asked = bot, before = editor.text;
  const program = await ask(`${botPath(asked)}/programs`, { game: byId("game").value, file_name: file.name, content: await inBase64(file) });
  if (asked !== bot) return; // she has signed out meanwhile
  say(`Version ${program.number} is saved.${program.state === "new" ? " Its check begins." : " The same files were handed in before."}`);
  shown = program.number;
  editor.keep(before);
  await refresh();
  if (asked === bot) await openInEditor(program, before);
}

byId("save").addEventListener("click", () => tried(() => handIn(new File([editor.text], USUAL_FILE))));

function upload(file) {
  return tried(async () => {
    if (editor.isChanged && !confirm("Your changes in the editor are not handed in yet. Replace them?")) return;
    await handIn(file);
  });
}

byId("file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (file) await upload(file);
  target.value = ""; // the same file again is a change, too
});

for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault(); // else the browser would open it
    if (kind === "drop" && bot) upload(event.dataTransfer.files[0]);
  });
}

// --- the editor

// Nothing is opened for who has signed out before the answer comes, and what she has written since then stays.
// before: what was in the editor when it was asked for.
async function openInEditor({ number, digest }, before = editor.text) {
  const asked = bot;
  const { file_name: file, text, alone } = await ask(`${botPath(asked)}/programs/${number}/source`).catch((refused) => {
    if (refused.status !== 404) throw refused;
    return { file_name: "", text: "", alone: false };
  });
  if (asked !== bot) return;
  const goesOn = editor.text !== before;
  if (goesOn && text !== before) return void say(`Version ${number} is not loaded, because you have changed the editor meanwhile.`);
  edited = { number, digest, file };
  if (!goesOn) editor.show(text, { readOnly: !alone });
  byId("save").hidden = !alone;
  byId("editing").textContent = goesOn ? `Version ${number}, with your changes since.` : alone ? `Version ${number}.`
    : file ? `${file} of version ${number}, which has more files: change it on your computer, and upload the zip again.` : `Version ${number} has no single Python file to show.`;
  mark();
}

byId("again").addEventListener("click", () => {
  if (editor.isChanged && !confirm("Your changes in the editor are not handed in yet. Replace them?")) return;
  edited = null;
  editor.show(START);
  byId("save").hidden = false;
  byId("editing").textContent = "A first program to improve.";
});

// Marks what the examination of the version in the editor has shown, and its lost matches.
function mark() {
  const program = edited && programs.find(({ number }) => number === edited.number), told = program?.examination;
  const lost = failures.filter(({ version }) => version === edited?.digest).map(({ text }) => text);
  editor.mark(program ? marksIn([told?.problem ?? "", told?.printed.join("\n") ?? "", ...lost], edited.file) : []);
}

// --- what becomes of it

async function refresh() {
  clearTimeout(timer);
  if (!bot) return;
  const asked = bot, mine = ++asks;
  try {
    const [told, lost] = await Promise.all([ask(`${botPath(bot)}/programs`), ask(`${botPath(bot)}/failures`)]);
    if (asked !== bot || mine < newest) return; // what was asked later is there already
    newest = mine;
    if (silence && byId("status").textContent === silence) say("");
    silence = "";
    const waited = new Set(programs.filter(({ state }) => state === "new").map(({ number }) => number));
    ({ programs, deadline, disabled, asked_for: wishes } = told);
    if (!busy) closeOrOpen();
    for (const { number, state, examination } of programs) {
      if (waited.has(number) && state !== "new") say(state === "good" ? `Version ${number} has passed with ${examination.grade} %.` : `Version ${number} does not play; the reason is below.`);
    }
    ({ failures } = lost);
    const now = JSON.stringify([told, lost, shown]);
    if (now !== known) {
      known = now;
      draw();
    }
  } catch (refused) {
    if (asked !== bot) return;
    say(silence = refused.message);
    if ([401, 403].includes(refused.status)) document.dispatchEvent(new Event("refused"));
  }
  await refreshRecord();
  if (asked === bot) plan();
}

// Ratings and charts, which cost more and change less often.
async function refreshRecord({ now = false } = {}) {
  const program = programs.find(({ number }) => number === shown) ?? programs[0];
  if (!program || (!now && Date.now() < recordAt + RECORD_MS)) return;
  recordAt = Date.now();
  const asked = bot, mine = recordAt;
  try {
    const found = await ratingsOf(asked, programs);
    if (asked !== bot) return;
    const isNew = JSON.stringify([...found]) !== JSON.stringify([...ratings]);
    ratings = found;
    if (isNew) draw(); // or a button could be replaced while it is pressed
    await showRecord(byId("results"), asked, program.game, () => asked !== bot || mine !== recordAt);
  } catch (refused) {
    if (asked === bot) say(refused.message);
  }
}

function plan() {
  clearTimeout(timer);
  if (bot && !document.hidden) timer = setTimeout(refresh, programs.some(({ state }) => state === "new") ? SOON_MS : LATER_MS);
}

document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

function draw() {
  byId("now-text").textContent = nowSentence(programs);
  byId("stop").hidden = byId("wish").hidden = !programs.some(({ in_use: inUse }) => inUse);
  showWishes(byId("wishes"), wishes, ({ number }) => tried(async () => {
    await ask(`${botPath(bot)}/programs/games/${number}/take-back`, {});
    await refresh();
  }));
  showVersions(byId("versions"), programs, {
    ratings,
    files: ({ number }) => `/api/v1/${botPath(bot)}/programs/${number}/files`,
    isShown: ({ number }) => number === shown,
    shows: (program) => tried(async () => {
      if (editor.isChanged && !confirm("Your changes in the editor are not handed in yet. Replace them?")) return;
      shown = program.number;
      await openInEditor(program);
      draw();
      refreshRecord({ now: true });
      byId("report-head").scrollIntoView({ block: "nearest" });
    }),
    uses: (program) => tried(async () => {
      await ask(`${botPath(bot)}/programs/${program.number}/use`, {});
      await refresh();
    }),
  });
  const program = programs.find(({ number }) => number === shown);
  byId("report-card").hidden = !program;
  if (program) {
    byId("report-head").textContent = `Check of version ${program.number}`;
    showReport(byId("report"), program);
  }
  byId("results").hidden = !programs.length;
  byId("failed-card").hidden = !failures.length;
  showFailures(byId("failed"), failures, programs);
  mark();
}

byId("stop").addEventListener("click", () => tried(async () => {
  await ask(`${botPath(bot)}/programs/stop`, {});
  await refresh();
}));

byId("wish").addEventListener("submit", (event) => {
  event.preventDefault();
  tried(async () => {
    const given = new FormData(event.target), order = { opponent: given.get("opponent"), games: Number(given.get("games")) };
    const { opponent, games, left } = await ask(`${botPath(bot)}/programs/games`, order);
    say(`${games} ${games === 1 ? "game" : "games"} against ${opponent} will be played when both can; ${left} more can be asked for today.`);
    event.target.elements.opponent.value = "";
    await refresh();
  });
});

// --- who is there

// Nothing of a bot is left for who comes next, and no button acts on another one's.  name: whose programs are shown from now on.
function forget(name) {
  [bot, known, recordAt, shown, edited, ratings, busy] = [name, "", 0, null, null, new Map(), null];
  [programs, wishes, failures, deadline, disabled] = [[], [], [], null, false];
  clearTimeout(timer);
  for (const part of byId("results").querySelectorAll("[data-from]")) part.hidden = true; // until its own is there
  closeOrOpen();
  draw();
}

async function open(name) {
  forget(name);
  byId("own").hidden = false;
  byId("whose").textContent = name;
  byId("record").href = `/bots/${encodeURIComponent(name)}`;
  byId("now-text").textContent = ""; // not known yet
  const before = editor.text;
  await refresh();
  const [program] = programs;
  if (bot !== name || !program) return;
  shown = program.number;
  byId("game").value = program.game;
  await openInEditor(program, before).catch((refused) => { if (bot === name) say(refused.message); });
  if (bot === name) draw();
}

const all = new ClassList({
  tried,
  opens: async (name) => {
    if (editor.isChanged && !confirm("Your changes in the editor are not handed in yet. Replace them?")) return;
    editor.show(START);
    await open(name);
    byId("whose-head").scrollIntoView();
  },
});

signIn({
  say,
  came: (name, role) => {
    if (role === "operator") all.begin({ signedIn: true }); else all.end();
    if (name !== "operator") open(name); // the server's own operator is no bot, and no bot can be called so
  },
  left: () => {
    all.end();
    byId("own").hidden = true;
    editor.show(START);
    forget("");
    all.begin({ signedIn: false });
  },
});
