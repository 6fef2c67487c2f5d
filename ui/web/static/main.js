// The page of a person who has signed in: the picture of the table, or one of the pages with texts.

import { stopGuide } from "/static/guide.js";
import { showPage } from "/static/pages.js";
import { showPeople } from "/static/people.js";
import { showSetup } from "/static/setup.js";
import { followTable } from "/static/table.js";

const language = document.querySelector("#language");
const theme = document.querySelector("#theme");
const picture = document.querySelector("#picture");
const page = document.querySelector("#page");
const connection = document.querySelector("#connection");
const parts = { table: picture, setup: document.querySelector("#setup"), program: document.querySelector("#program"),
  people: document.querySelector("#people") };
let stopFollowing = () => {};

function show() {
  const [name, hand] = (location.hash.slice(1) || "table").split("/");
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.documentElement.dataset.theme = theme.value;
  document.documentElement.lang = language.value;
  stopFollowing();
  stopGuide();
  connection.textContent = "";
  for (const [part, element] of Object.entries(parts)) element.toggleAttribute("hidden", name !== part);
  page.toggleAttribute("hidden", name in parts);
  if (name === "table") stopFollowing = followTable(picture, connection, theme.value, language.value);
  else if (name === "setup") showSetup(language.value);
  else if (name === "people") showPeople();
  else if (name !== "program") showPage(page, connection, hand ? `${name}/${hand}` : name, language.value);
}

async function showRole() {
  const response = await fetch("/api/me");
  if (!response.ok) return;
  const { role } = await response.json();
  for (const link of document.querySelectorAll("[data-role]")) link.toggleAttribute("hidden", link.dataset.role !== role);
}

document.querySelector("#sign-out").addEventListener("click", async () => {
  await fetch("/api/sign-out", { method: "POST" });
  location.assign("/sign-in");
});
for (const choice of [language, theme]) {
  choice.value = localStorage.getItem(choice.id) ?? choice.value;
  choice.addEventListener("change", () => {
    localStorage.setItem(choice.id, choice.value);
    show();
  });
}
addEventListener("hashchange", show);
show();
showRole();
