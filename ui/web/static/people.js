// The people who may sign in: the list, a form for a new person, and a button that removes one.

import { ask } from "/static/requests.js";

const people = document.querySelector("#people");
const form = people.querySelector("form");
const output = people.querySelector("output");

/** Show the list of people. */
export async function showPeople() {
  const listed = await ask(output, "GET", "/people");
  if (!listed) return;
  const table = document.createElement("table");
  for (const { name, role } of listed) {
    const row = table.insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = role;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Remove ${name}`;
    button.addEventListener("click", () => remove(name));
    row.insertCell().append(button);
  }
  people.querySelector(".content").replaceChildren(table);
}

async function remove(name) {
  if (!confirm(`Remove ${name}?`)) return;
  if (await ask(output, "POST", "/people/remove", { name })) await showPeople();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!(await ask(output, "POST", "/people/add", Object.fromEntries(new FormData(form))))) return;
  form.reset();
  await showPeople();
});
