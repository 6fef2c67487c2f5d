// The page of a person who has signed in: the picture of the table, or one of the pages with texts.

import { markLink, onChoice, useChoices, whoAmI } from "/static/frame.js";
import { stopGuide } from "/static/guide.js";
import { showPage } from "/static/pages.js";
import { showPeople } from "/static/people.js";
import { showSetup } from "/static/setup.js";
import { followTable } from "/static/table.js";

const picture = document.querySelector("#picture");
const page = document.querySelector("#page");
const connection = document.querySelector("#connection");
const parts = { table: picture, setup: document.querySelector("#setup"), program: document.querySelector("#program"),
  people: document.querySelector("#people") };
let stopFollowing = () => {};

function show() {
  const [name, hand] = (location.hash.slice(1) || "table").split("/");
  const { language, theme } = useChoices();
  markLink(document.querySelectorAll("nav a"), `#${name}`);
  stopFollowing();
  stopGuide();
  connection.textContent = "";
  for (const [part, element] of Object.entries(parts)) element.toggleAttribute("hidden", name !== part);
  page.toggleAttribute("hidden", name in parts);
  if (name === "table") stopFollowing = followTable(picture, connection, theme, language);
  else if (name === "setup") showSetup(language);
  else if (name === "people") showPeople();
  else if (name !== "program") showPage(page, connection, hand ? `${name}/${hand}` : name, language);
}

async function showRole() {
  const person = await whoAmI();
  if (!person) return;
  for (const link of document.querySelectorAll("[data-role]")) {
    link.toggleAttribute("hidden", link.dataset.role !== person.role);
  }
}

onChoice(show);
addEventListener("hashchange", show);
show();
showRole();
