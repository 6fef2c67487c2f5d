// Follows the room: one stream of server-sent events with the tiles that have changed.

const SILENCE_MS = 15000; // three intervals of the events that come while nothing changes

/** Call `onTiles(tiles, isWhole)` for each event and `onLive(isLive)` for its state, until the function is called. */
export function followRoom(language, onTiles, onLive) {
  const events = new EventSource(`/events?language=${language}`);
  let timer = 0;

  function receive(isWhole, { data }) {
    const { live, tiles } = JSON.parse(data);
    clearTimeout(timer);
    timer = setTimeout(() => onLive(false), SILENCE_MS);
    if (isWhole || tiles.length) onTiles(tiles, isWhole);
    onLive(live);
  }

  events.addEventListener("tables", (event) => receive(true, event));
  events.addEventListener("tiles", (event) => receive(false, event));
  events.addEventListener("signed-out", () => location.assign("/sign-in"));
  events.addEventListener("error", () => onLive(false));
  return () => {
    clearTimeout(timer);
    events.close();
  };
}
