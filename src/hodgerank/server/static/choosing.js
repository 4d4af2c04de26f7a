// Files that are chosen, dropped, or lines that are written: the server says what it understood.
const root = document.querySelector(".choosing");
const place = root.querySelector("[data-place]");
const lines = root.querySelector("textarea[name=lines]");
const sources = [...root.querySelectorAll("input[name=source]")];
const inputs = [...root.querySelectorAll("input[type=file]")];
const drop = root.querySelector(".drop");
let latest = 0;

const look = root.querySelector("[data-no-script]");
look.hidden = look.disabled = true; // and Enter in a field does nothing
root.querySelector("[data-folder]").hidden = false;

function show() {
  const chosen = sources.find((one) => one.checked)?.value;
  for (const part of root.querySelectorAll("[data-source]")) part.hidden = part.dataset.source !== chosen;
}
for (const one of sources) {
  one.addEventListener("change", () => {
    show();
    place.replaceChildren();
    if (one.value === "lines") sendLines();
  });
}
show();

async function send(form) {
  const mine = ++latest;
  place.textContent = root.dataset.sending;
  let html = null;
  try {
    const headers = { Accept: "text/html" };
    const answer = await fetch(root.dataset.preview, { method: "POST", body: form, headers });
    if (answer.ok) html = await answer.text();
  } catch {
    // told below
  }
  if (mine !== latest) return;
  if (html === null) place.textContent = root.dataset.failed;
  else place.innerHTML = html;
}

// Texts are shown as the form has it.
const markdown = root.closest("form").querySelector('input[name="pages.markdown"]');
const addMarkdown = (form) => markdown?.checked && form.append(markdown.name, markdown.value);

// Files are added to those that were sent before, unless these are to be forgotten.
function addWhatIsThere(form) {
  for (const field of place.querySelectorAll("[data-column], [data-again]")) {
    if (field.type !== "checkbox" || field.checked) form.append(field.name, field.value);
  }
  addMarkdown(form);
}

function sendFiles(files) {
  if (!files.length) return;
  const form = new FormData();
  form.append("source", "files");
  for (const [name, file] of files) form.append("files", file, name);
  addWhatIsThere(form);
  for (const input of inputs) input.value = ""; // they are sent once
  send(form);
}

for (const input of inputs) {
  const sendChosen = () => {
    sendFiles([...input.files].map((file) => [file.webkitRelativePath || file.name, file]));
  };
  input.addEventListener("change", sendChosen);
  sendChosen(); // files that were chosen before this script had loaded
}

// Columns that are named are looked at again.
function lookAgain() {
  const form = new FormData();
  form.append("source", "files");
  addWhatIsThere(form);
  send(form);
}
place.addEventListener("change", (event) => {
  if (event.target.matches("[data-column]")) lookAgain();
});
markdown?.addEventListener("change", () => {
  if (place.querySelector("[name=staged]")) lookAgain();
  else sendLines();
});

let typing;
function sendLines() {
  clearTimeout(typing);
  if (!lines.value.trim()) return place.replaceChildren();
  const form = new FormData();
  form.append("source", "lines");
  form.append("lines", lines.value);
  addMarkdown(form);
  send(form);
}
lines.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(sendLines, 500);
});

// Dropped folders are gone through.
async function filesIn(entry, path = "") {
  if (entry.isFile) {
    const file = await new Promise((good, bad) => entry.file(good, bad));
    return [[path + file.name, file]];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((good, bad) => reader.readEntries(good, bad));
    if (!some.length) return found;
    for (const one of some) found.push(...(await filesIn(one, `${path}${entry.name}/`)));
  }
}
for (const kind of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
  });
}
drop.addEventListener("drop", async (event) => {
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  const found = await Promise.all(entries.map((entry) => filesIn(entry)));
  sendFiles(found.flat());
});
