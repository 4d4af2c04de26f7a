// What a stopping rule means is said while it is written; rows of fields grow; mistakes are shown.
for (const field of document.querySelectorAll("[data-rule]")) {
  const words = field.parentElement.querySelector("[data-rule-words]");
  let typing, latest = 0;
  const look = async () => {
    const mine = ++latest;
    const address = `${field.dataset.rule}?${new URLSearchParams({ text: field.value })}`;
    const answer = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
    if (!answer?.ok || mine !== latest) return;
    const said = await answer.json();
    words.textContent = said.words;
    words.className = said.is_rule ? "help" : "wrong";
    field.setAttribute("aria-invalid", String(!said.is_rule));
  };
  field.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(look, 300);
  });
  if (field.value) look();
}

for (const button of document.querySelectorAll("[data-adds-row]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const rows = button.parentElement.querySelectorAll(".rows-row");
    const row = rows[rows.length - 1].cloneNode(true);
    for (const field of row.querySelectorAll("input, textarea")) field.value = "";
    button.before(row);
    row.querySelector("input, textarea").focus();
  });
}

// A link to a field that is folded away opens what it is in.
function unfold() {
  const found = document.getElementById(location.hash.slice(1));
  const fold = found?.closest("details");
  if (fold) fold.open = true;
  if (found?.matches(".field")) found.querySelector("input:not([type=hidden]), select, textarea")?.focus();
}
addEventListener("hashchange", unfold);
unfold();
document.getElementById("mistakes")?.focus();
