// Parts of a page that take a while to compute.
for (const place of document.querySelectorAll("[data-part]")) {
  const answer = await fetch(place.dataset.part, { headers: { Accept: "text/html" } }).catch(() => null);
  if (answer?.status === 401) location.reload();
  const template = document.createElement("template");
  if (answer?.ok) template.innerHTML = await answer.text();
  else template.content.append(place.dataset.failed);
  place.replaceChildren(template.content);
  place.removeAttribute("data-part");
  document.dispatchEvent(new Event("swapped"));
}
