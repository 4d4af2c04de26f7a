// Campaigns that nobody has opened since the server started take a moment: one after the other.
for (const row of document.querySelectorAll("[data-row]")) {
  const answer = await fetch(row.dataset.row, { headers: { Accept: "text/html" } });
  if (!answer.ok) continue;
  const template = document.createElement("template");
  template.innerHTML = await answer.text();
  row.replaceWith(template.content);
  document.dispatchEvent(new Event("swapped"));
}
