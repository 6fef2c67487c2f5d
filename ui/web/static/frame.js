// The head of each page: language, colours, and the button with which a person signs out.

const language = document.querySelector("#language");
const theme = document.querySelector("#theme");

/** Call the function at each change of the language or of the colours. */
export function onChoice(show) {
  for (const choice of [language, theme]) {
    choice.value = localStorage.getItem(choice.id) ?? choice.value;
    choice.addEventListener("change", () => {
      localStorage.setItem(choice.id, choice.value);
      show();
    });
  }
}

/** Use the chosen language and colours, and return their names. */
export function useChoices() {
  document.documentElement.dataset.theme = theme.value;
  document.documentElement.lang = language.value;
  return { language: language.value, theme: theme.value };
}

/** Mark the link of the open page. */
export function markLink(links, hash) {
  for (const link of links) {
    if (link.hash === hash) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Return the name and the role of the person, or nothing if the program does not answer. */
export async function whoAmI() {
  const response = await fetch("/api/me").catch(() => undefined);
  return response?.ok ? await response.json() : undefined;
}

document.querySelector("#sign-out").addEventListener("click", async () => {
  await fetch("/api/sign-out", { method: "POST" });
  location.assign("/sign-in");
});
