// What a recording says of every step and visit.
(recording) => {
  const visits = [...recording.ply.keys()], steps = [...Array(recording.steps).keys()];
  return {
    at: steps.map((step) => { const { visit, isEnd } = recording.at(step); return [visit, isEnd]; }),
    counts: steps.map((step) => Object.values(recording.counts(step))),
    visits: visits.map((visit) => [
      recording.entered(visit), recording.finished(visit), recording.sizes[visit], recording.path(visit), recording.below(visit),
      recording.moveOf(visit), recording.left(visit), recording.again[visit] === 1, recording.seenBy(visit), recording.seenBy(visit, true),
    ]),
    line: recording.line(0, recording.steps - 1).map((visit) => recording.moveOf(visit)),
  };
}
