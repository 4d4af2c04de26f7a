// The code can be copied, and who came from a panel is sent back after a moment.
const by = (id) => document.getElementById(id);

by("copy")?.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(by("code").textContent);
  } catch {
    getSelection().selectAllChildren(by("code")); // not allowed here: at least it is marked
    return;
  }
  by("copy").textContent = by("copy").dataset.copied;
});

const going = by("going");
if (going) {
  for (let seconds = 3; seconds > 0; seconds--) {
    going.textContent = going.dataset.words.replace("{n}", seconds);
    await new Promise((go) => setTimeout(go, 1000));
  }
  location.assign(by("back").href);
}
