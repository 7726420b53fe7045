// The board of the current node of a game.

const WAIT_MS = 60, MOST_KEPT = 300;

export class BoardPanel {
  // card: is hidden for trees.  element: for the picture.
  constructor(card, element) { [this.card, this.element, this.kept, this.wanted] = [card, element, new Map(), ""]; }

  // The board after these moves from the searched position.
  async show({ question, recording }, moves) {
    this.card.hidden = !question.game;
    if (!question.game) return;
    const wanted = this.wanted = `/api/v1/games/${question.game}/board?${new URLSearchParams({ position: recording.head.position, moves: moves.join(" ") })}`;
    if (!this.kept.has(wanted)) {
      await new Promise((kept) => setTimeout(kept, WAIT_MS));
      if (wanted !== this.wanted) return;
      const answer = await fetch(wanted).catch(() => null);
      if (!answer?.ok) return;
      if (this.kept.size > MOST_KEPT) this.kept.clear();
      this.kept.set(wanted, (await answer.json()).svg);
    }
    if (wanted === this.wanted) this.element.replaceChildren(document.importNode(new DOMParser().parseFromString(this.kept.get(wanted), "image/svg+xml").documentElement, true));
  }
}
