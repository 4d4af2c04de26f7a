// Numbers come every second, the standing when there is a new one; rows move to their new places.
const data = JSON.parse(document.getElementById("data").textContent);
const place = document.getElementById("standing");
const sentence = document.getElementById("sentence");
const lost = document.getElementById("lost");
const news = document.getElementById("news");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const shown = new URLSearchParams(location.search);
shown.set("track", data.track);

const number = new Intl.NumberFormat("en");
const field = (name) => document.querySelector(`[data-live="${name}"]`);
const say = (name, value) => {
  const element = field(name);
  if (element && element.textContent !== value) element.textContent = value;
};

function count(now) {
  const status = document.querySelector("[data-status]").dataset.status;
  if (now.status !== status) return location.reload(); // other buttons belong to it
  if (now.answers && document.getElementById("invite")) return location.reload();
  for (const name of ["answers", "per_minute", "n_here", "workers", "out"]) {
    say(name, number.format(now[name]));
  }
  const share = field("share");
  if (share) share.value = now.answers;
  const names = now.here.slice(0, 5).map((name) => {
    const element = document.createElement("bdi");
    element.textContent = name.length > 24 ? name.slice(0, 23) + "…" : name;
    return element;
  });
  field("here").replaceChildren(...names.flatMap((name, k) => (k ? [", ", name] : [name])));
}

const rows = () => new Map([...place.querySelectorAll("[data-key]")].map((row) => [row.dataset.key, row]));

function swap(html) {
  const before = new Map([...rows()].map(([key, row]) => [key, row.getBoundingClientRect().top]));
  const wasEnough = sentence.querySelector("[data-is-enough]")?.dataset.isEnough;
  const isOpen = [...place.querySelectorAll("details[open]")].map((one) => one.id);
  const opened = place.contains(document.activeElement) && document.activeElement.closest("[data-key]");
  const scrolled = place.querySelector(".scroll")?.scrollLeft ?? 0;
  const template = document.createElement("template");
  template.innerHTML = html;
  keepPictures(template.content);
  sentence.replaceChildren(...template.content.getElementById("sentence").childNodes);
  place.replaceChildren(...template.content.getElementById("standing").childNodes);
  for (const id of isOpen) document.getElementById(id)?.setAttribute("open", "");
  document.dispatchEvent(new Event("swapped"));
  const scroll = place.querySelector(".scroll");
  if (scroll) scroll.scrollLeft = scrolled;
  if (opened) rows().get(opened.dataset.key)?.querySelector("a")?.focus({ preventScroll: true });
  if (wasEnough === "0" && sentence.querySelector("[data-is-enough]")?.dataset.isEnough === "1") {
    news.textContent = news.dataset.enough;
  }
  if (calm.matches) return;
  for (const [key, row] of rows()) {
    if (!before.has(key)) continue;
    const by = before.get(key) - row.getBoundingClientRect().top;
    if (by) {
      row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], {
        duration: 500,
        easing: "cubic-bezier(0.2, 0, 0, 1)",
      });
    }
  }
}

// Pictures that are there stay, so that nothing flickers.
function keepPictures(content) {
  const known = rows();
  for (const row of content.querySelectorAll("[data-key]")) {
    const picture = row.querySelector("img");
    const old = known.get(row.dataset.key)?.querySelector("img");
    if (picture && old && picture.getAttribute("src") === old.getAttribute("src")) picture.replaceWith(old);
  }
}

let wanted = 0;
async function fetchStanding() {
  const mine = ++wanted;
  const answer = await fetch(`${data.standing}?${shown}`, { headers: { Accept: "text/html" } });
  if (answer.status === 401) return location.reload();
  const html = await answer.text();
  if (answer.ok && mine === wanted) swap(html); // else a later one is on its way
}

place.addEventListener("click", (event) => {
  if (!event.target.closest("[data-all]")) return;
  event.preventDefault();
  shown.set("all", "1");
  fetchStanding();
});

const search = document.getElementById("search");
let typing;
search?.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    shown.set("q", search.elements.q.value);
    fetchStanding();
  }, 200);
});
search?.addEventListener("submit", (event) => event.preventDefault());

const events = new EventSource(`${data.stream}?${new URLSearchParams({ track: data.track })}`);
let silence;
events.addEventListener("open", () => {
  clearTimeout(silence);
  lost.hidden = true;
});
events.addEventListener("error", () => {
  if (events.readyState === EventSource.CLOSED) return location.reload(); // who was signed in is not any more
  clearTimeout(silence);
  silence = setTimeout(() => (lost.hidden = false), 6000);
});
events.addEventListener("counts", (event) => count(JSON.parse(event.data)));
events.addEventListener("standing", fetchStanding);
