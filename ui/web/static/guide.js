// The guided set-up: the same texts and keys as on the dealer's screen, with the progress of its steps.

import { ask, report } from "/static/requests.js";

const INTERVAL_MS = 500; // between two looks, as long as a person waits without noticing
const guide = document.querySelector("#guide");
const output = document.querySelector("#setup > output");
const progress = guide.querySelector("progress");
const denomination = guide.querySelector("[name=denomination]");
const takeOver = guide.querySelector("#take-over");
let timer = 0;
let shown = "";

/** Show the guided set-up, and look again until another page is opened. */
export async function followGuide(language) {
  stopGuide();
  const mine = (timer = setTimeout(() => followGuide(language), INTERVAL_MS));
  const response = await fetch(`/setup/guide?language=${language}`).catch(() => undefined);
  if (response?.ok && timer === mine) show(await response.json(), language);
}

export function stopGuide() {
  clearTimeout(timer);
  timer = 0;
}

function show(page, language) {
  const text = JSON.stringify(page);
  if (text === shown) return; // The keys stay as they are, so that a touch or the focus is not lost.
  shown = text;
  guide.querySelector("h2").textContent = page.title;
  guide.querySelector(".note").textContent = page.note;
  progress.toggleAttribute("hidden", !page.total);
  if (page.total) Object.assign(progress, { max: page.total, value: page.step });
  guide.querySelector(".content").replaceChildren(...page.lines.map(lineOf));
  denomination.parentElement.toggleAttribute("hidden", page.stage !== "choose");
  takeOver.toggleAttribute("hidden", !page.copies);
  guide.querySelector(".keys").replaceChildren(...page.keys.map((key) => keyOf(key, language)));
}

function lineOf(line) {
  const paragraph = document.createElement("p");
  paragraph.className = line.tone;
  paragraph.textContent = line.cells.join(" ");
  return paragraph;
}

function keyOf(key, language) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = key.label;
  button.disabled = !key.enabled;
  button.dataset.word = key.word;
  button.addEventListener("click", () => touch(key, language));
  return button;
}

async function touch({ word, number }, language) {
  if (word === "enroll" && !denomination.checkValidity()) return denomination.reportValidity();
  if (word === "enroll") number = Number(denomination.value);
  if (word === "enroll" && !number) return denomination.focus();
  const page = await ask(output, "POST", `/setup/guide?language=${language}`, { word, number });
  if (page) show(page, language);
}

takeOver.addEventListener("click", async () => report(output, await ask(output, "POST", "/setup/take-over")));
