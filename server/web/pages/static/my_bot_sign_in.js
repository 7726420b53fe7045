// Who is at the page: a new bot by invite code, or one that was here before by its token; the cookie is the server's.

import { copyText, byId } from "./dom.js";
import { ask } from "./my_bot_api.js";

const SIGNED_IN = "signed-in"; // in the browser's own store: that other pages may ask who is here (match_review.js)

// Calls came(name, role) when somebody has signed in, also before; left() when nobody has. say: shows a sentence.
export async function signIn({ came, left, say }) {
  let busy = false;
  const formed = (id, does) => byId(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return; // pressed twice
    busy = true;
    const given = Object.fromEntries(new FormData(event.target));
    try {
      await does(given);
      event.target.reset();
    } catch (refused) { say(refused.message); } finally { busy = false; }
  });

  function entered({ name, role }) {
    say("");
    if (name) localStorage.setItem(SIGNED_IN, "yes"); else localStorage.removeItem(SIGNED_IN);
    byId("entrance").hidden = Boolean(name);
    byId("who").hidden = !name;
    if (!name) return void left();
    byId("who-name").textContent = name;
    came(name, role);
  }

  formed("register", async ({ name, invite = "" }) => {
    const { token } = await ask("register", { name: name.trim(), invite: invite.trim() });
    byId("token").value = token; // now: the name is taken, even if the session is refused
    byId("token-card").hidden = false;
    entered(await ask("session", { token }));
    byId("copy-token").focus();
  });
  formed("sign-in", async ({ token }) => entered(await ask("session", { token: token.trim() })));
  byId("copy-token").addEventListener("click", async () => {
    await copyText(byId("token").value);
    say("The token is copied.");
  });
  byId("token-kept").addEventListener("click", () => {
    byId("token").value = "";
    byId("token-card").hidden = true;
  });
  byId("sign-out").addEventListener("click", async () => {
    byId("token-kept").click();
    try {
      entered(await ask("session/end", {}));
    } catch (refused) { say(refused.message); }
  });
  // Another tab may have signed out, or in as somebody else.
  document.addEventListener("refused", async () => {
    const now = await ask("session").catch(() => null);
    if (now && now.name !== byId("who-name").textContent) entered(now);
  });
  try {
    entered(await ask("session"));
  } catch (refused) { say(refused.message); }
}
