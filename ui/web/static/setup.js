// The set-up and the program for technicians: tasks with a button, backup, update, and an editor that marks a mistake.

import { followGuide } from "/static/guide.js";
import { ask, report } from "/static/requests.js";

const editor = document.querySelector("#editor");
const text = editor.querySelector("textarea");
const file = editor.querySelector("select");
const backup = document.querySelector("#backup");
const update = document.querySelector("#update");
const restore = document.querySelector("#restore");
let newestRead = 0;

/** Open the set-up: the guided set-up, and the chosen file in the editor. */
export async function showSetup(language) {
  followGuide(language);
  await readFile();
}

function outputOf(element) {
  return element.closest(".sections").querySelector(":scope > output");
}

/** Show the chosen file. Until it is there, nothing can be typed or saved, so that no text gets into another file. */
async function readFile() {
  const read = ++newestRead;
  text.disabled = true;
  const answer = await ask(outputOf(editor), "GET", `/setup/file/${file.value}`);
  if (!answer || read !== newestRead) return;
  text.value = answer.text;
  text.disabled = false;
}

/** Select the line that a message such as `table.toml:12: …` names, and show its text. */
function markMistake(message) {
  const number = Number(message.match(/\.toml:(\d+):/)?.[1] ?? 0);
  if (!number) return;
  const lines = text.value.split("\n");
  const start = lines.slice(0, number - 1).reduce((length, line) => length + line.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + lines[number - 1].length);
  text.scrollTop = (text.scrollHeight / lines.length) * Math.max(0, number - 5);
  outputOf(editor).textContent = `Not saved. Line ${number}: ${lines[number - 1]}\n${message}`;
}

for (const button of document.querySelectorAll("[data-get], [data-post]")) {
  button.addEventListener("click", async () => {
    const { get, post, sure, file: name } = button.dataset;
    if (sure && !confirm(sure)) return;
    const output = outputOf(button);
    report(output, await ask(output, get ? "GET" : "POST", get ?? post), name);
  });
}
editor.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (text.disabled) return;
  const output = outputOf(editor);
  const answer = await ask(output, "POST", "/setup/save", { file: file.value, text: text.value });
  if (!answer) return;
  const result = answer.exit_code ? "Not saved." : "Saved. The table takes it up between two hands, or shows that it needs a restart.";
  output.textContent = `${result}\n${answer.text}`;
  if (answer.exit_code) markMistake(answer.text);
});
backup.addEventListener("submit", async (event) => {
  event.preventDefault();
  const output = outputOf(backup);
  const passphrase = backup.elements.passphrase.value;
  report(output, await ask(output, "POST", "/setup/backup", { passphrase }), "table.backup");
  backup.reset();
});
update.addEventListener("submit", async (event) => {
  event.preventDefault();
  const output = outputOf(update);
  report(output, await ask(output, "POST", "/setup/update", update.elements.file.files[0]));
});
restore.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!confirm("Replace this table by the table of the backup? Players, stacks, accounts and the journal are then those of the backup. The replaced table is kept on the disk.")) return;
  const output = outputOf(restore);
  const headers = { passphrase: encodeURIComponent(restore.elements.passphrase.value) };
  report(output, await ask(output, "POST", "/setup/restore", restore.elements.file.files[0], headers));
  restore.reset();
});
file.addEventListener("change", readFile);
