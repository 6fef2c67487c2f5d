// What a table needs, in words: no state is told by its colour alone.

const CALLS = { "": "Floor called", ruling: "Ruling", fill: "Fill", credit: "Credit", player: "Player", service: "Service" };
const WORDS = { fault: "Fault", "not-recorded": "Not recorded", "floor-call": "Call", decision: "Decision", fill: "Fill",
  "long-since-push": "Long since push", "": "In order", closed: "Closed", "unknown-version": "Other version" };
const COUNTED = { fault: ["fault", "faults"], "not-recorded": ["not recorded", "not recorded"],
  "floor-call": ["call", "calls"], decision: ["decision", "decisions"], fill: ["fill", "fills"],
  "long-since-push": ["push due", "pushes due"] };
const ORDER = Object.keys(WORDS);

/** Return the words for what the table needs, such as `Call: Ruling, 4 min`. */
export function needText(tile) {
  if (tile.need === "fault" && !tile.connected) return "Fault: no connection";
  const parts = [WORDS[tile.need]];
  if (tile.need === "floor-call") parts[0] = tile.call && !tile.answered_by ? `Call: ${CALLS[tile.call]}` : CALLS[tile.call];
  else if (tile.need === "fill") parts[0] = CALLS[tile.call ?? "fill"] || WORDS.fill;
  else if (tile.call !== null) parts.push(CALLS[tile.call]);
  if (tile.call !== null) parts.push(tile.call_minutes ? `${tile.call_minutes} min` : "now");
  return parts.join(", ");
}

/** Return who comes to the table after a call, or "". */
export function comingText(tile) {
  return tile.answered_by ? `${tile.answered_by} comes` : "";
}

/** Return what a person may want to know who comes to the table: its game, its dealer and its open seats. */
export function factsText(tile) {
  if (!tile.game) return "Nothing known yet";
  const dealer = [tile.dealer, tile.dealer_minutes === null ? "" : `${tile.dealer_minutes} min`].filter(Boolean).join(" ");
  return [tile.game, dealer, rateText(tile), openText(tile)].filter(Boolean).join(", ");
}

export const rateText = (tile) => (tile.hands_per_hour === null ? "" : `${tile.hands_per_hour} hands/h`);
export const openText = (tile) => tile.seats && (tile.open_seats ? `${tile.open_seats} open` : "full");

/** Return how many tables need what, for the head of the page, most urgent first. */
export function countNeeds(tiles) {
  const counts = new Map();
  for (const { need } of tiles) counts.set(need, (counts.get(need) ?? 0) + 1);
  return Object.entries(COUNTED)
    .filter(([need]) => counts.has(need))
    .map(([need, [one, many]]) => ({ need, text: `${counts.get(need)} ${counts.get(need) === 1 ? one : many}` }));
}

/** Compare two tiles: the more urgent one first, an answered call after the others, then the one that waits longer. */
export function compareTiles(a, b) {
  return ORDER.indexOf(a.need) - ORDER.indexOf(b.need) ||
    Boolean(a.answered_by) - Boolean(b.answered_by) || waits(b) - waits(a) || a.number - b.number;
}

function waits(tile) {
  if (tile.call !== null) return tile.call_minutes;
  return tile.need === "long-since-push" ? tile.dealer_minutes : 0;
}
