// The page of a person who has signed in: the picture of the table, or one of the pages with texts.

import { showPage } from "/static/pages.js";
import { showSetup } from "/static/setup.js";
import { followTable } from "/static/table.js";

const language = document.querySelector("#language");
const theme = document.querySelector("#theme");
const picture = document.querySelector("#picture");
const page = document.querySelector("#page");
const setup = document.querySelector("#setup");
const connection = document.querySelector("#connection");
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
  connection.textContent = "";
  picture.toggleAttribute("hidden", name !== "table");
  page.toggleAttribute("hidden", name === "table" || name === "setup");
  setup.toggleAttribute("hidden", name !== "setup");
  if (name === "table") stopFollowing = followTable(picture, connection, theme.value, language.value);
  else if (name === "setup") showSetup();
  else showPage(page, connection, hand ? `${name}/${hand}` : name, language.value);
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
