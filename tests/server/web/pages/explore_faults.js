// Of the outlines at some steps of a recording: the most items that one has, and what is wrong with them.
async (recording) => {
  const { everyItem, layOut, Outline } = await import("/static/explore_outline.js");
  const { TypedTree } = await import("/static/explore_typed_tree.js");
  const typed = recording.head.tree ? new TypedTree(recording.head.tree) : null, outline = new Outline(recording, typed);
  const faults = [], some = Math.max(1, Math.floor(recording.steps / 60));
  let most = 0;
  for (let step = 0; step < recording.steps; step += some) {
    const { visit } = recording.at(step), root = outline.chosen({ open: [visit], folded: new Set(["0"]), opened: new Set() });
    const items = everyItem(root), rows = new Map(), size = layOut(root, (item) => 20 + (Math.abs(item.visit) * 37 % 90));
    most = Math.max(most, items.length);
    for (const way of recording.path(visit)) if (!items.some((item) => item.visit === way)) faults.push(`step ${step}: visit ${way} is not drawn`);
    for (const item of items) {
      const half = (20 + (Math.abs(item.visit) * 37 % 90)) / 2;
      if (!rows.has(item.y)) rows.set(item.y, []);
      rows.get(item.y).push([item.x - half, item.x + half]);
      if (item.x - half < -.01 || item.x + half > size.width + .01 || item.y > size.height) faults.push(`step ${step}: ${item.key} is outside`);
      const below = item.below.filter(({ kind }) => kind !== "gap").length, gaps = item.below.filter(({ kind }) => kind === "gap");
      const all = item.kind === "visit" ? recording.below(item.visit).length + recording.leftCount[item.visit] : below;
      if (item.below.length && below + gaps.reduce((sum, { skipped }) => sum + skipped, 0) !== all) faults.push(`step ${step}: ${item.key} lacks some`);
    }
    for (const row of rows.values()) {
      row.sort((one, other) => one[0] - other[0]);
      row.forEach(([, end], at) => { if (row[at + 1]?.[0] < end + 11) faults.push(`step ${step}: boxes overlap`); });
    }
  }
  return [most, faults];
}
