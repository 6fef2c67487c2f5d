// Follows the table: server-sent events with the groups of the picture that have changed.

const SILENCE_MS = 15000; // three intervals of the events that come while nothing changes

/** Draw the table into the SVG element until the returned function is called. `base` is the path before its routes. */
export function followTable(picture, connection, theme, language, base = "") {
  const events = new EventSource(`${base}/events?theme=${theme}&language=${language}`);
  let timer = 0;

  function markOld() {
    picture.classList.add("old");
    connection.textContent = "NOT LIVE: this picture may be old.";
  }

  function markNew() {
    picture.classList.remove("old");
    connection.textContent = "";
    clearTimeout(timer);
    timer = setTimeout(markOld, SILENCE_MS);
  }

  events.addEventListener("appearance", ({ data }) => {
    const { width, height, background } = JSON.parse(data);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.innerHTML = `<rect width="${width}" height="${height}" fill="${background}"/>`;
  });
  events.addEventListener("picture", ({ data }) => {
    const { groups, order } = JSON.parse(data);
    for (const [id, group] of Object.entries(groups)) replaceGroup(picture, id, group);
    if (order.length) reorder(picture, order);
    markNew();
  });
  events.addEventListener("signed-out", () => location.assign("/sign-in"));
  events.addEventListener("error", markOld);
  return () => {
    clearTimeout(timer);
    events.close();
  };
}

function replaceGroup(picture, id, group) {
  const template = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  template.innerHTML = group;
  const old = picture.querySelector(`#${CSS.escape(id)}`);
  if (old) old.replaceWith(template.firstChild);
  else picture.append(template.firstChild);
}

/** Put the groups into this order, and remove the groups that are not part of the picture any more. */
function reorder(picture, order) {
  const kept = new Set(order);
  for (const group of [...picture.querySelectorAll(":scope > g")]) if (!kept.has(group.id)) group.remove();
  for (const id of order) picture.append(picture.querySelector(`#${CSS.escape(id)}`));
}
