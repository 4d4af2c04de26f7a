// Long tables: sorted by a click on a heading, filtered by a word, rows selected and counted.
const cellValue = (row, column) => {
  const value = row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  return value !== "" && !Number.isNaN(Number(value)) ? Number(value) : value;
};
const words = new Intl.Collator(undefined, { numeric: true });

function compare(a, b) {
  if (a === "" || b === "") return 0;
  return typeof a === "number" && typeof b === "number" ? a - b : words.compare(String(a), String(b));
}

function sort(heading) {
  const table = heading.closest("table");
  const column = heading.cellIndex;
  const isNumber = heading.classList.contains("right");
  const before = heading.getAttribute("aria-sort");
  const goesUp = before ? before === "descending" : !isNumber;
  for (const other of table.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", goesUp ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [cellValue(row, column), row]);
  // What cannot be said comes last, whichever way.
  rows.sort(([a], [b]) => (a === "") - (b === "") || (goesUp ? compare(a, b) : compare(b, a)));
  body.append(...rows.map(([, row]) => row));
}

function filter(field) {
  const wanted = field.value.trim().toLocaleLowerCase();
  for (const row of field.closest(".list").querySelectorAll("tbody tr")) {
    row.hidden = !!wanted && !(row.dataset.search ?? row.textContent).toLocaleLowerCase().includes(wanted);
  }
}

function count(list) {
  const n = list.querySelectorAll("tbody input[type=checkbox]:checked").length;
  const place = list.querySelector("[data-selected]");
  if (place) place.textContent = n ? place.dataset.selected.replace("{n}", n) : "";
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-sorts]");
  if (button) sort(button.closest("th"));
});
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-filters]")) filter(event.target);
  else if (event.target.matches("tbody input[type=checkbox]")) count(event.target.closest(".list"));
});
document.addEventListener("keydown", (event) => {
  // Enter in the search field is not meant to submit what is selected.
  if (event.key === "Enter" && event.target.matches("[data-filters]")) event.preventDefault();
});
