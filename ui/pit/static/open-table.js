// An opened table: its live screen, its hands and alerts, and the key that answers a call for the floor.

import { markLink } from "/static/frame.js";
import { comingText, factsText, needText } from "/static/needs.js";
import { showPage } from "/static/pages.js";
import { ask } from "/static/requests.js";
import { followTable } from "/static/table.js";
import { tileOf } from "/static/tiles.js";

const PAGES = { "": "Screen", hands: "Hands", alerts: "Alerts" };
const section = document.querySelector("#table");
const picture = section.querySelector("#picture");
const page = section.querySelector("#page");
const links = section.querySelector("nav");
const key = section.querySelector("#answer");
const connection = section.querySelector("#connection");
const result = section.querySelector("#result");
let number, chosen, stop = () => {};
let mayAnswer = false;

export function allowAnswers() {
  mayAnswer = true;
  showNeed();
}

/** Show a page of a table, such as its screen, `hands` or `hand/12`, until `closeTable`. */
export function openTable(newNumber, name, choices) {
  closeTable();
  if (number !== newNumber) result.textContent = "";
  [number, chosen] = [newNumber, choices];
  const base = `/table/${number}`;
  section.removeAttribute("hidden");
  links.replaceChildren(...Object.entries(PAGES).map(([path, text]) => linkTo(path, text)));
  markLink(links.children, `#table/${number}${name && `/${name}`}`);
  picture.toggleAttribute("hidden", name !== "");
  page.toggleAttribute("hidden", name === "");
  showNeed();
  if (name === "") stop = followTable(picture, connection, choices.theme, choices.language, base);
  else showPage(page, connection, name, choices.language, base);
}

export function closeTable() {
  stop();
  stop = () => {};
  section.setAttribute("hidden", "");
}

/** Show what the open table needs now. */
export function showNeed() {
  const tile = tileOf(number);
  if (!tile) return;
  section.dataset.need = tile.need || "none";
  section.querySelector("h2").textContent = tile.name;
  section.querySelector("#table-need").textContent = [needText(tile), comingText(tile)].filter(Boolean).join(". ");
  section.querySelector("#table-facts").textContent = factsText(tile);
  key.toggleAttribute("hidden", !mayAnswer || tile.call === null || Boolean(tile.answered_by));
}

function linkTo(path, text) {
  const link = document.createElement("a");
  link.href = `#table/${number}${path && `/${path}`}`;
  link.textContent = text;
  return link;
}

key.addEventListener("click", async () => {
  key.disabled = true;
  const answer = await ask(result, "POST", `/table/${number}/answer-call?language=${chosen.language}`);
  key.disabled = false;
  if (answer) result.textContent = `The table shows that ${answer.answered_by} is coming.`;
});
