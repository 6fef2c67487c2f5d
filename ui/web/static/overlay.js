// A sample overlay for a video stream. It shows the delayed feed over a transparent background.

const INTERVAL_MS = 1000;
const pot = document.querySelector("#pot");
const seats = document.querySelector("#seats");

function money(feed, amount) {
  const value = amount / 10 ** feed.decimals;
  return feed.prefix + value.toLocaleString("en", { minimumFractionDigits: feed.decimals });
}

async function show() {
  const response = await fetch("/feed");
  if (!response.ok) return;
  const feed = await response.json();
  pot.textContent = feed.pot === null ? "" : `Pot ${money(feed, feed.pot)}`;
  seats.replaceChildren(...feed.seats.map((seat) => {
    const item = document.createElement("li");
    item.classList.toggle("turn", seat.seat === feed.turn);
    item.classList.toggle("folded", seat.status === "folded");
    const name = document.createElement("span");
    name.textContent = `${seat.seat} ${seat.name}${seat.button ? " (D)" : ""}`;
    const chips = document.createElement("span");
    chips.textContent = seat.bet ? `bets ${money(feed, seat.bet)}` : seat.stack === null ? "" : money(feed, seat.stack);
    item.append(name, chips);
    return item;
  }));
}

setInterval(show, INTERVAL_MS);
show();
