// Signs a person in, or names the first person of a new table.

const form = document.querySelector("form");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const response = await fetch(form.action, { method: "POST", body: JSON.stringify(Object.fromEntries(new FormData(form))) });
  if (response.ok) location.assign("/");
  else form.querySelector("[role=alert]").textContent = (await response.json()).error;
});
