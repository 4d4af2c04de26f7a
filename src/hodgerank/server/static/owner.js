// What every page of the owner does: copy, say when, sign out.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const field = button.parentElement.querySelector("input");
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // where the page has no secure address
  }
  const before = button.textContent;
  button.textContent = button.dataset.copies;
  setTimeout(() => (button.textContent = before), 2000);
});

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];

function sayWhen() {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const at = new Date(time.dateTime);
    const seconds = Math.min(0, (at - Date.now()) / 1000);
    const [size, unit] = UNITS.find(([size]) => -seconds >= size) ?? UNITS.at(-1);
    time.textContent = words.format(Math.round(seconds / size), unit);
    time.title = at.toLocaleString();
  }
}
sayWhen();
setInterval(sayWhen, 5000);
document.addEventListener("swapped", sayWhen); // something new stands on the page

document.querySelector("[data-leaves]")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const headers = { Accept: "application/json" };
  const answer = await fetch(event.target.action, { method: "POST", headers });
  location.replace((await answer.json()).go_to ?? "/");
});

// A question that is open closes by Escape, and by a click beside it.
const asked = () => document.querySelectorAll("details.ask[open]");
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const one of asked()) {
    one.open = false;
    one.querySelector("summary").focus();
  }
});
document.addEventListener("click", (event) => {
  for (const one of asked()) if (!one.contains(event.target)) one.open = false;
});
