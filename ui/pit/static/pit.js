// The pit page: all tables as tiles, one opened table, or the people who may sign in.

import { onChoice, useChoices, whoAmI } from "/static/frame.js";
import { countNeeds } from "/static/needs.js";
import { allowAnswers, closeTable, openTable, showNeed } from "/static/open-table.js";
import { showPeople } from "/static/people.js";
import { followRoom } from "/static/room.js";
import { allTiles, findTiles, replaceTiles, updateTiles } from "/static/tiles.js";

const COUNT_INTERVAL_MS = 500;
const connection = document.querySelector("#connection");
const counts = document.querySelector("#counts");
const find = document.querySelector("#find");
const tiles = document.querySelector("#tiles");
const people = document.querySelector("#people");
const menu = document.querySelector("details");
let stopFollowing = () => {}, followed = "", hasChanged = false;

function show() {
  menu.open = false;
  const [name, number, ...rest] = location.hash.slice(1).split("/");
  const choices = useChoices();
  const isTable = name === "table" && /^\d+$/.test(number);
  tiles.toggleAttribute("hidden", isTable || name === "people");
  people.toggleAttribute("hidden", name !== "people");
  find.toggleAttribute("hidden", isTable || name === "people");
  follow(choices.language);
  if (isTable && !document.hidden) openTable(Number(number), rest.join("/"), choices);
  else closeTable();
  if (name === "people") showPeople();
}

/** Follow the room in this language. A hidden page follows nothing, because a browser has few connections. */
function follow(language) {
  const wanted = document.hidden ? "" : language;
  if (wanted === followed) return;
  followed = wanted;
  stopFollowing();
  stopFollowing = wanted ? followRoom(wanted, receive, showLive) : () => {};
}

function receive(changed, isWhole) {
  if (isWhole) replaceTiles(changed);
  else updateTiles(changed);
  hasChanged = true;
  showNeed();
}

function showLive(isLive) {
  tiles.classList.toggle("old", !isLive);
  const text = isLive ? "" : "NOT LIVE: the room does not answer, and the tiles may be old.";
  if (connection.textContent !== text) connection.textContent = text;
}

function showCounts() {
  if (!hasChanged) return;
  hasChanged = false;
  const all = allTiles();
  const needs = [...countNeeds(all), { need: "none", text: `${all.length} ${all.length === 1 ? "table" : "tables"}` }];
  const text = needs.map((need) => need.text).join();
  if (counts.dataset.text === text) return;
  counts.dataset.text = text;
  counts.replaceChildren(...needs.map(({ need, text }) => {
    const count = document.createElement("span");
    count.dataset.need = need;
    count.textContent = text;
    return count;
  }));
}

async function showRole() {
  const person = await whoAmI();
  if (!person) return;
  for (const link of document.querySelectorAll("[data-role]")) {
    link.toggleAttribute("hidden", link.dataset.role !== person.role);
  }
  if (person.role !== "viewer") allowAnswers();
}

onChoice(show);
find.addEventListener("input", () => findTiles(find.value));
addEventListener("hashchange", show);
document.addEventListener("visibilitychange", show);
setInterval(showCounts, COUNT_INTERVAL_MS);
show();
showRole();
