// Requests to the program for browsers, with their result in the output of the open page.

/** Send a request, show that it runs, and return its answer. Return nothing after an error, whose text is shown. */
export async function ask(output, method, path, body, headers = {}) {
  output.textContent = "Please wait…";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body instanceof Blob ? body : body && JSON.stringify(body) });
  } catch {
    output.textContent = "The table does not answer. Is the network up?";
    return undefined;
  }
  if (response.status === 401) return location.assign("/sign-in");
  output.textContent = "";
  if (response.ok && response.headers.has("content-disposition")) return { blob: await response.blob() };
  const answer = response.status === 204 ? {} : await response.json();
  if (response.ok) return answer;
  output.textContent = answer.error;
  return undefined;
}

/** Show what a command has printed, or save its file under this name. */
export function report(output, answer, fileName) {
  if (!answer) return;
  if (!answer.blob) {
    output.textContent = answer.text;
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(answer.blob);
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
  output.textContent = `Saved as ${fileName}.`;
}
