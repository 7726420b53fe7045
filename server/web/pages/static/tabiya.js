// Keeps pages fresh: every element with data-part is replaced by what the server says now. Times become local ones.

const SLOWEST_MS = 15000;

export function localTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    const today = new Date().toDateString() === at.toDateString();
    const clock = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    element.textContent = today ? clock : `${at.toLocaleDateString()} ${clock}`;
    element.title = at.toLocaleString();
  }
}

// Fetches `address` and replaces the parts that differ; returns the body of what was fetched.
export async function refresh(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-part]")) {
    const now = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!now) continue;
    localTimes(now);
    if (now.innerHTML === part.dataset.shown || now.innerHTML === part.innerHTML) continue;
    const [left, top] = [part.scrollLeft, part.scrollTop];
    part.replaceChildren(...now.childNodes);
    part.className = now.className;
    part.scrollTo(left, top);
  }
  return fresh.body;
}

function keepFresh(everyMs) {
  let wait = everyMs;
  const stale = document.getElementById("stale");
  async function again() {
    if (!document.hidden) {
      try {
        const body = await refresh(location.href);
        stale.hidden = true;
        if (!body.dataset.refreshMs) return; // what was shown is over
        wait = everyMs;
      } catch {
        stale.hidden = false;
        wait = Math.min(SLOWEST_MS, 2 * wait);
      }
    }
    setTimeout(again, wait);
  }
  setTimeout(again, wait);
}

localTimes(document);
if (document.body.dataset.refreshMs) keepFresh(Number(document.body.dataset.refreshMs));
