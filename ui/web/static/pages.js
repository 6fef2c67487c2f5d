// Shows the texts of a page: lines as a table, cards as links to hands, or a long text.

/** Ask for the texts of a page, such as `alerts` or `hand/12`, and show them. `base` is the path before its routes. */
export async function showPage(page, connection, name, language, base = "") {
  const response = await fetch(`${base}/api/texts/${name}?language=${language}`);
  if (response.status === 401) return location.assign("/sign-in");
  const content = await response.json();
  connection.textContent = response.ok ? "" : content.error;
  if (!response.ok) return;
  page.querySelector("h2, h3").textContent = content.title;
  page.querySelector(".note").textContent = content.note;
  const parts = [];
  if (content.lines.length) parts.push(tableOf(content.lines));
  if (content.cards.length) parts.push(cardsOf(content.cards, base));
  if (content.text) parts.push(element("pre", content.text));
  if (name.startsWith("hand/")) parts.push(fileLink(name.slice("hand/".length), base));
  page.querySelector(".content").replaceChildren(...parts);
}

function tableOf(lines) {
  const table = document.createElement("table");
  const widest = Math.max(...lines.map((line) => line.cells.length));
  for (const line of lines) {
    const row = table.insertRow();
    row.className = line.tone;
    line.cells.forEach((text, column) => {
      const cell = row.insertCell();
      cell.textContent = text;
      if (line.right[column]) cell.className = "right";
      if (line.cells.length === 1) cell.colSpan = widest;
    });
  }
  return table;
}

function cardsOf(cards, base) {
  const list = document.createElement("ul");
  list.className = "cards";
  for (const card of cards) {
    const link = element("a", card.label);
    link.href = `#${base.slice(1)}${base && "/"}hand/${card.hand}`;
    link.append(element("small", card.detail));
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  return list;
}

function fileLink(hand, base) {
  const link = element("a", "Hand history (PHH)");
  link.href = `${base}/files/hand-${hand}.phh`;
  link.download = "";
  return link;
}

function element(name, text) {
  const result = document.createElement(name);
  result.textContent = text;
  return result;
}
