// The tiles: only changed parts of tiles near the screen are drawn, and the order changes only while nobody touches.

import { comingText, compareTiles, needText, openText, rateText } from "/static/needs.js";

const SORT_INTERVAL_MS = 1000; // so that tiles do not jump while somebody reads them
const TOUCH_PAUSE_MS = 1500; // after a touch or a movement over the tiles, so that none jumps away from a finger
const WIDTH_EM = 18, HEIGHT_EM = 9.4, GAP_EM = 0.7; // as in pit.css
const NEAR = "50%"; // distance from the screen at which tiles are drawn, so that they are ready when somebody scrolls
const MIN_FONT_PX = 16, MAX_FONT_PX = 60;
const list = document.querySelector("#tiles");
const shown = new Map(); // the tile and its elements by the number of the table
const waiting = new Map(); // the newest changed tiles, which the next frame draws
let touched = -Infinity, isDown = false, wanted = "";

const observer = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) {
    const item = shown.get(Number(target.dataset.number));
    if (item?.element !== target) continue;
    item.isNear = isIntersecting;
    if (isIntersecting && item.newest) draw(item, item.newest);
  }
}, { rootMargin: NEAR });

/** Replace all tiles. */
export function replaceTiles(tiles) {
  observer.disconnect();
  shown.clear();
  waiting.clear();
  list.replaceChildren();
  for (const tile of tiles) draw(addTile(tile.number), tile);
  sort();
  fit();
}

/** Draw changed tiles with the next frame, so that a slow machine draws only the newest state of each tile. */
export function updateTiles(tiles) {
  if (!waiting.size && tiles.length) requestAnimationFrame(drawWaiting);
  for (const tile of tiles) waiting.set(tile.number, tile);
}

function drawWaiting() {
  for (const [number, tile] of waiting) {
    const item = shown.get(number);
    if (item.isNear || tile.need !== item.tile.need) draw(item, tile);
    else item.newest = tile;
  }
  waiting.clear();
}

export const tileOf = (number) => waiting.get(number) ?? newestOf(shown.get(number));
export const allTiles = () => [...shown.values()].map(newestOf);
const newestOf = (item) => item?.newest ?? item?.tile;

/** Show only tiles with these words in their texts. */
export function findTiles(words) {
  wanted = words.trim().toLowerCase();
  for (const item of shown.values()) match(item);
}

function addTile(number) {
  const element = document.createElement("li");
  element.innerHTML = `<a href="#table/${number}">
    <span><b class="words"></b><span class="coming"></span></span>
    <span><strong class="name"></strong><span class="pot"></span></span>
    <span><span class="game"></span></span>
    <span><span class="seats" aria-hidden="true"></span><span class="open"></span></span>
    <span><span class="dealer"></span><span class="since"></span><span class="rate"></span></span></a>`;
  const parts = Object.fromEntries([...element.querySelectorAll("[class]")].map((part) => [part.className, part]));
  const item = { element, parts, tile: {}, newest: undefined, isNear: false };
  element.dataset.number = number;
  shown.set(number, item);
  list.append(element);
  observer.observe(element);
  return item;
}

function draw(item, tile) {
  const { element, parts } = item;
  const before = item.tile;
  item.tile = tile;
  item.newest = undefined;
  element.dataset.at = tile.at;
  if (before.need !== tile.need) element.dataset.need = tile.need || "none";
  element.classList.toggle("answered", Boolean(tile.answered_by));
  write(parts.words, needText(tile));
  write(parts.coming, comingText(tile));
  write(parts.name, tile.name);
  write(parts.game, tile.game || "Nothing known yet");
  write(parts.pot, tile.pot && `Pot ${tile.pot}`);
  if (before.seats !== tile.seats) parts.seats.replaceChildren(...[...tile.seats].map(seatOf));
  write(parts.open, openText(tile));
  write(parts.rate, rateText(tile));
  write(parts.dealer, tile.game && (tile.dealer || "No dealer named"));
  write(parts.since, tile.dealer_minutes === null ? "" : `${tile.dealer_minutes} min`);
  if (wanted) match(item);
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function seatOf(letter, index) {
  const seat = document.createElement("span");
  seat.className = { o: "free", t: "taken", a: "away" }[letter] ?? "";
  seat.textContent = index + 1;
  return seat;
}

function match(item) {
  const tile = newestOf(item);
  const text = `${tile.name} ${tile.game} ${tile.dealer}`.toLowerCase();
  item.element.toggleAttribute("hidden", Boolean(wanted) && !text.includes(wanted));
}

function sort() {
  const focused = list.contains(document.activeElement) ? document.activeElement : undefined;
  const items = [...shown.values()].sort((a, b) => compareTiles(newestOf(a), newestOf(b)));
  let place = list.firstElementChild;
  for (const { element } of items) {
    if (element === place) place = place.nextElementSibling;
    else list.insertBefore(element, place);
  }
  if (focused && focused !== document.activeElement) focused.focus({ preventScroll: true });
}

/** Use the largest letters with which all tiles fit on the screen, so that a large screen is read from far away. */
function fit() {
  const height = innerHeight - list.getBoundingClientRect().top - scrollY - 16;
  let size = MAX_FONT_PX;
  for (; size > MIN_FONT_PX; size--) {
    const gap = GAP_EM * size;
    const columns = Math.max(1, Math.floor((list.clientWidth + gap) / (WIDTH_EM * size + gap)));
    if (Math.ceil(shown.size / columns) * (HEIGHT_EM * size + gap) <= height + gap) break;
  }
  list.style.fontSize = `${size}px`;
}

for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) {
  addEventListener(kind, (event) => {
    if (kind !== "pointermove") isDown = kind === "pointerdown";
    if (list.contains(event.target)) touched = performance.now();
  }, { passive: true });
}
addEventListener("resize", fit);
setInterval(() => {
  if (!isDown && performance.now() - touched > TOUCH_PAUSE_MS) sort();
}, SORT_INTERVAL_MS);
