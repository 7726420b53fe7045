// Orders the review of a match, and hears how far it is.

import { answered, Refused } from "./my_bot_api.js";

// The moves that cost each of the two most, once the match is reviewed. told: hears sentences until then. Throws Refused.
export async function reviewed(match, told) {
  told("The review has begun: the engine judges every move.");
  const answer = await answered(`matches/${match}/review`, {}), reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { done, value } = await reader.read().catch(() => ({ done: true }));
    if (done) throw new Refused("The server's answer is incomplete; try again.", 0);
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const line of lines) {
      const { judged, moves, review, costliest, problem } = JSON.parse(line);
      if (problem) throw new Refused(problem, 0);
      if (review) return costliest;
      if (judged) told(`${judged} of ${moves} moves are judged.`);
    }
  }
}
