// Long tables: sorted by a click on a heading, filtered by a word, rows selected and counted. Of very
// long ones the first rows are shown.
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
  show(table.closest(".list"));
}

// The first rows of those that have the word; all of them where that is wished.
function show(list) {
  const wanted = list.querySelector("[data-filters]").value.trim().toLocaleLowerCase();
  const all = list.querySelector("[data-all]");
  const most = all && !all.dataset.isDone ? Number(all.dataset.all) : Infinity;
  let n = 0;
  for (const row of list.querySelectorAll("tbody tr")) {
    const isFound = !wanted || (row.dataset.search ?? row.textContent).toLocaleLowerCase().includes(wanted);
    row.hidden = !isFound || ++n > most;
  }
  if (all) all.hidden = n <= most;
}

function count(list) {
  const n = list.querySelectorAll("tbody input[type=checkbox]:checked").length;
  const place = list.querySelector("[data-selected]");
  if (place) place.textContent = n ? place.dataset.selected.replace("{n}", n) : "";
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-sorts]");
  if (button) sort(button.closest("th"));
  const all = event.target.closest("[data-all]");
  if (!all) return;
  all.dataset.isDone = "1";
  show(all.closest(".list"));
});
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-filters]")) show(event.target.closest(".list"));
  else if (event.target.matches("tbody input[type=checkbox]")) count(event.target.closest(".list"));
});
document.addEventListener("keydown", (event) => {
  // Enter in the search field is not meant to submit what is selected.
  if (event.key === "Enter" && event.target.matches("[data-filters]")) event.preventDefault();
});
