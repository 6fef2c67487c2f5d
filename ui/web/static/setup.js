// The set-up for technicians: check, log, fault report, and an editor that marks the line of a mistake.

const form = document.querySelector("#setup");
const editor = form.querySelector("textarea");
const file = form.querySelector("select");
const output = form.querySelector("output");

/** Open the set-up, with the chosen file in the editor. */
export async function showSetup() {
  const answer = await ask("GET", `/setup/file/${file.value}`);
  if (answer) editor.value = answer.text;
}

async function ask(method, path, body) {
  output.textContent = "Please wait…";
  form.setAttribute("aria-busy", "true");
  const response = await fetch(path, { method, body: body && JSON.stringify(body) });
  form.removeAttribute("aria-busy");
  if (response.status === 401) return location.assign("/sign-in");
  if (response.headers.get("content-type") === "application/gzip") {
    output.textContent = "";
    return { blob: await response.blob() };
  }
  const answer = await response.json();
  output.textContent = response.ok ? "" : answer.error;
  return response.ok ? answer : undefined;
}

function report(answer) {
  if (answer) output.textContent = answer.text;
}

/** Select the line that a message such as `table.toml:12: …` names, and show its text. */
function markMistake(text) {
  const number = Number(text.match(/\.toml:(\d+):/)?.[1] ?? 0);
  if (!number) return;
  const lines = editor.value.split("\n");
  const start = lines.slice(0, number - 1).reduce((length, line) => length + line.length + 1, 0);
  editor.focus();
  editor.setSelectionRange(start, start + lines[number - 1].length);
  editor.scrollTop = (editor.scrollHeight / lines.length) * Math.max(0, number - 5);
  output.textContent = `Not saved. Line ${number}: ${lines[number - 1]}\n${text}`;
}

form.querySelector("#check").addEventListener("click", async () => report(await ask("POST", "/setup/check")));
form.querySelector("#log").addEventListener("click", async () => report(await ask("GET", "/setup/log")));
form.querySelector("#bundle").addEventListener("click", async () => {
  const answer = await ask("POST", "/setup/bundle");
  if (!answer?.blob) return report(answer);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(answer.blob);
  link.download = "bundle.tar.gz";
  link.click();
  URL.revokeObjectURL(link.href);
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await ask("POST", "/setup/save", { file: file.value, text: editor.value });
  if (!answer) return;
  output.textContent = answer.exit_code ? `Not saved.\n${answer.text}` : `Saved. The service reads it at its next start.\n${answer.text}`;
  if (answer.exit_code) markMistake(answer.text);
});
file.addEventListener("change", showSetup);
