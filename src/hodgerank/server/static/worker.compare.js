// The page of pairs. An answer is kept in this browser until the server has it: neither a reload
// nor a tunnel loses any, and the server takes each once.
const by = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const now = () => performance.now();
const data = JSON.parse(by("data").textContent);
const say = (key, values) => data.say[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const SIDES = ["left", "right"];
const BLINK = 150; // ms after a pair has come in which a click was meant for the one before
const DOUBLE = 400; // the same for the second of two clicks
const SLOW = 8000;
const LOST = "no connection";
const GONE = "no session";

let turn = data.turn; // what the server said last
let tasks = []; // pairs that are to be answered
let current = null; // the one that is shown
let shownAt = 0;
let isSeen = true; // ever since
let note = ""; // what is said until the next answer
let given = null; // the last one
let isUndoing = false;
const known = new Map(); // pairs by their tasks
const { practice } = data;
const nPractice = practice.length;

// What the server does not have yet: each under a key of its own, since tabs share them.

function stored(act) {
  try {
    return act(localStorage);
  } catch {
    return null; // a browser that keeps nothing
  }
}

const prefix = `hodgerank.${data.who}.`;
const queue =
  stored((kept) => {
    const keys = Object.keys(kept).filter((key) => key.startsWith(prefix));
    return keys.sort().map((key) => ({ ...JSON.parse(kept[key]), key }));
  }) ?? [];

function keep(act, body) {
  const entry = { act, body, key: `${prefix}${Date.now()}${now()}` };
  queue.push(entry);
  stored((kept) => kept.setItem(entry.key, JSON.stringify({ act, body })));
  return entry;
}

function drop(entry) {
  queue.splice(queue.indexOf(entry), 1);
  stored((kept) => kept.removeItem(entry.key));
}

// The server

let talks = Promise.resolve();
let isLost = false;
let isBack = false; // which is still to be said
let isGone = false;
let nFailed = 0;
let timer;

async function post(act, body = {}) {
  const has = act === "leave" ? {} : { has: [...known.keys()].slice(-5) };
  let answer, said;
  try {
    answer = await fetch(`${data.at}/${act}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ who: data.who, ...has, ...body }),
      keepalive: true,
      signal: AbortSignal.timeout(20000),
    });
    said = await answer.json();
  } catch {
    throw LOST;
  }
  if (answer.status === 429 || answer.status >= 500) throw LOST;
  if ([401, 403, 404].includes(answer.status)) throw GONE;
  [isBack, isLost, nFailed] = [isBack || isLost, false, 0];
  if (!answer.ok) whyRefused = said.why;
  return answer.ok ? said : null; // null: refused for good
}

// Answers that were refused, until that is said: the page may be loaded again before.
const refusals = `hodgerank.refused.${data.who}`;
let nRefused = stored(() => Number(sessionStorage.getItem(refusals))) ?? 0;
let whyRefused;

function refused(n) {
  nRefused = n;
  stored(() => sessionStorage.setItem(refusals, n));
}

// One talk after the other; one that broke off is begun again by itself. Not so a `wish`: the worker
// is told, goes on, and may have another one when the connection is back.
function talk(about, wish) {
  talks = talks.then(async () => {
    clearTimeout(timer);
    try {
      if (!isGone) await about();
    } catch (error) {
      if (error === GONE) await beGone();
      else if (error !== LOST) reportError(error);
      else {
        if (wish || !isLost) note = wish ? say("unheard") : "";
        isLost = true;
        const ms = Math.min(30000, 1000 * 2 ** nFailed++) * (0.75 + Math.random() / 2);
        timer = setTimeout(() => talk(wish ? flush : about), ms);
      }
    } finally {
      report();
    }
  });
}

const send = () => talk(flush);
const look = async () => take(await post("tasks"), true);
const refresh = () => talk(async () => (await flush()) || look());

// Why the session has ended is said at the door.
async function beGone() {
  isGone = true;
  const said = await fetch(data.door).then((answer) => answer.text()).catch(() => "");
  if (!said.includes('id="banned"')) return;
  while (queue.length) drop(queue[0]); // nobody will take them
  location.replace(data.door);
}

// Whether the page is about to go.
async function flush() {
  let isOld = isLost || nRefused > 0; // what is known here
  const before = turn.answered;
  while (queue.length) {
    const [entry] = queue;
    entry.isOnItsWay = true;
    const said = await post(entry.act, entry.body);
    drop(entry);
    if (said) take(said);
    else isOld = true;
    if (!said && entry.act === "answer") refused(nRefused + 1);
  }
  if (isOld) await look();
  const isReset = whyRefused === "void" && before && !turn.answered;
  if (nRefused) note = say(isReset ? "reset" : "refused", { n: nRefused });
  else if (isBack) note = say("sent");
  isBack = false;
  const isSaid = turn.step !== "done" && turn.stamp === data.turn.stamp;
  if (nRefused && isSaid) refused(0);
  return turn.step === "done" && leave("done");
}

async function leave(wants) {
  const said = await post("leave", { wants });
  if (said && said.step !== "done") return look();
  location.replace(`${data.at}/done${nRefused ? `?refused=${nRefused}` : ""}`);
  return true;
}

// What the server says becomes what is shown. A pair that is looked at stays, unless the worker has
// just come back to it.
function take(said, isFresh) {
  turn = said;
  if (turn.step === "questions") return location.assign(`${data.at}/questions`);
  if (turn.stamp !== data.turn.stamp && !queue.length) return location.reload();
  const sent = queue.map((entry) => entry.body.task);
  tasks = turn.tasks.filter((task) => !sent.includes(task.id)).map(pairOf);
  if (turn.step !== "open" || (isFresh && !tasks.includes(current))) current = null;
  for (const [id, pair] of known) {
    if (![current, given?.pair, ...tasks].includes(pair)) known.delete(id);
  }
  goOn();
}

function pairOf(task) {
  if (!known.has(task.id)) known.set(task.id, prepare(task));
  return known.get(task.id);
}

// Pairs are made ready before they are shown

function prepare(task) {
  const pair = { ...task, media: [], readyAt: 0 };
  const waits = [];
  const short = SIDES.every((side) => (task[side].text ?? "").length <= 200); // both look alike
  pair.nodes = SIDES.map((side) => {
    const { kind, src, text, html } = task[side];
    const nodes = [];
    if (kind === "missing") waits.push(Promise.reject(LOST));
    if (src) {
      const [node, ready] = kind === "image" ? picture(src) : sound(kind, src);
      nodes.push(node);
      waits.push(ready);
      pair.media.push(node);
    }
    if (text || html) {
      const words = document.createElement("div");
      words.className = `words ${html ? "prose" : short ? "short" : ""}`;
      if (html) words.innerHTML = html; // the server has cleaned it
      else words.textContent = text;
      for (const table of words.querySelectorAll("table")) table.tabIndex = 0; // it may scroll
      nodes.push(words);
    }
    return nodes;
  });
  pair.isReady = !waits.length;
  Promise.all(waits)
    .then(() => ([pair.isReady, pair.readyAt] = [true, now()]))
    .catch(() => (pair.isBroken = true))
    .then(report);
  return pair;
}

function picture(src) {
  const node = Object.assign(new Image(), { src, alt: say("picture"), draggable: false });
  return [node, node.decode()];
}

function sound(kind, src) {
  const node = document.createElement(kind);
  const ready = new Promise((yes, no) => Object.assign(node, { oncanplay: yes, onerror: no }));
  Object.assign(node, { controls: true, playsInline: true, preload: "metadata", src });
  return [node, ready];
}

function show(pair) {
  current = pair;
  shownAt = now();
  isSeen = !document.hidden;
  SIDES.forEach((side, k) => {
    const place = by(side);
    place.replaceChildren(...pair.nodes[k]);
    place.classList.toggle("has-media", pair[side].kind !== "text");
    place.scrollTop = 0;
    const isLong = place.scrollHeight > place.clientHeight + 1;
    place.toggleAttribute("data-long", isLong);
    place.removeAttribute("tabindex");
    if (isLong) place.tabIndex = 0;
  });
  for (const node of pair.media) node.preload = "auto";
  setTimeout(report, SLOW + 50);
  const words = SIDES.map((side) => pair[side].text && say(side, { words: pair[side].text }));
  const count = say("pair", { n: nAnswers() + 1 });
  by("heard").textContent = words.join("").length < 300 ? [count, ...words].join(" ") : count;
}

function goOn() {
  if (!current) {
    const next = practice.length ? prepare(practice[0]) : tasks[0];
    if (next) show(next);
    else for (const place of [...SIDES, "heard"]) by(place).replaceChildren();
    if (!next && turn.step === "wait") {
      clearTimeout(timer);
      timer = setTimeout(refresh, 4000 + 4000 * Math.random());
    }
  }
  report();
}

// All that hangs on how things are: words, buttons, progress.

function hindrance() {
  if (!current || isUndoing) return turn.step === "wait" ? turn.why : "moment";
  if (current.isBroken) return "broken";
  if (!current.isReady) return now() - shownAt < SLOW ? "loading" : "slow";
  return by("pair").dataset.hold ?? "";
}

const nAnswers = () => turn.answered + queue.filter((entry) => entry.act === "answer").length;

function report() {
  const why = hindrance();
  const offline = isLost && say("offline", { n: queue.length });
  const words = isGone ? say("gone") : note || offline || (why && say(why));
  if (by("said").textContent !== words) by("said").textContent = words;
  by("trouble").hidden = !["broken", "slow"].includes(why);
  for (const button of all("[data-outcome]")) button.ariaDisabled = !!why;
  by("undo").ariaDisabled = !nAnswers();
  const left = practice.length;
  const about = left ? nPractice : turn.about;
  const done = left ? about - left + 1 : nAnswers();
  by("count").textContent = say(left ? "practice" : about ? "of_about" : "count", { n: done, about });
  Object.assign(by("bar"), { hidden: !about, max: about || 1, value: done });
}

function tell(words) {
  note = words;
  report();
}

// Answers

function isMeant(event) {
  const ms = now() - shownAt;
  return current && ms >= BLINK && !(event.detail > 1 && ms < DOUBLE);
}

function choose(outcome, event) {
  if (!isMeant(event)) return;
  if (hindrance()) {
    note = by("said").textContent = ""; // why not is heard again
    setTimeout(report, 50);
  } else if (practice.length) explain(outcome);
  else {
    const seconds = Math.round(now() - Math.max(shownAt, current.readyAt)) / 1000;
    give("answer", { outcome, seconds, is_focused: isSeen && document.hasFocus() });
  }
}

function skip(reason, event) {
  if (!isMeant(event) || isUndoing) return;
  if (practice.length) explain(0);
  else give("skip", { reason });
}

function give(act, body) {
  const pair = current;
  given = Object.assign(keep(act, { task: pair.id, ...body }), { pair });
  [note, current, tasks] = ["", null, tasks.filter((one) => one !== pair)];
  goOn();
  send();
}

function undo() {
  if (!nAnswers() || isUndoing) return;
  // What was skipped does not come back: the answer before it does.
  if (given?.act === "answer" && queue.at(-1) === given && !given.isOnItsWay) {
    drop(given);
    tasks.unshift(given.pair);
    undone(given.pair);
  } else {
    isUndoing = true; // meanwhile nothing else is answered
    talk(() => takeBack().finally(() => (isUndoing = false)), true);
    report();
  }
}

async function takeBack() {
  if (await flush()) return;
  const said = await post("undo");
  if (!said) return look();
  turn = said;
  undone(pairOf(said.tasks[0]));
  take(said);
}

function undone(pair) {
  given = null;
  show(pair);
  tell(say("undone"));
}

// Practice: the server does not hear of it

function explain(outcome) {
  const { better, because } = practice[0];
  const verdict = outcome ? (outcome * better > 0 ? "is_right" : "is_wrong") : "one_is_better";
  by("verdict").textContent = say(verdict);
  by("because").textContent = because + (practice.length > 1 ? "" : `\n\n${say("practised")}`);
  by("feedback").showModal();
  by("feedback").onclose = () => {
    practice.shift();
    current = null;
    if (practice.length) goOn();
    else refresh();
  };
}

// Hands: what a button does stands on it, or here by its id

const acts = {
  undo,
  pass: (event) => skip(data.not_shown, event),
  again: () => navigator.onLine && location.reload(), // the pair is still there then
  leave() {
    by("stopping").close();
    talk(async () => (await flush()) || leave("stop"), true);
  },
};

document.onclick = (event) => {
  const button = event.target.closest("button");
  const { outcome, opens, closes, reason } = button?.dataset ?? {};
  const dialog = button?.closest("dialog");
  if (outcome === "") tell(say("move"));
  else if (outcome) choose(Number(outcome), event);
  else if (opens) by(opens).showModal();
  else if (closes === "") dialog.close();
  else if (reason) dialog?.close(), skip(reason, event);
  else if (button) acts[button.id]?.(event);
  else {
    const place = event.target.closest(".whole .shown:not([data-long])");
    if (!place || event.target.closest("video, audio") || !getSelection().isCollapsed) return;
    choose(place.id === "left" ? 1 : -1, event);
  }
};

const keys = by("keys");
if (keys) {
  keys.checked = stored((kept) => kept.getItem("hodgerank.keys")) !== "off";
  keys.onchange = () => stored((kept) => kept.setItem("hodgerank.keys", keys.checked ? "" : "off"));
}

document.onkeydown = (event) => {
  // A button that has the focus is pressed again and again by a key that is held.
  if (event.repeat && event.target.closest("button")) event.preventDefault();
  if (!keys?.checked || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]:not(#zoom)")) return;
  if (event.target.matches("[type=range], video, audio, table")) return;
  const [button] = all(`[data-key~="${CSS.escape(event.key.toLowerCase())}"]:not([hidden])`);
  if (!button) return;
  button[button.type === "range" ? "focus" : "click"]();
  event.preventDefault();
};

// Comings and goings

document.onvisibilitychange = () => {
  if (document.hidden) isSeen = false;
  else if (!practice.length) refresh();
};
onpageshow = (event) => event.persisted && refresh();
ononline = () => (current ? send() : refresh());
onbeforeunload = (event) => {
  if (isLost && queue.length) event.preventDefault();
};
document.addEventListener("hold", report);
// Another tab has sent something.
onstorage = ({ key, newValue }) => key?.startsWith(prefix) && !newValue && refresh();

if (nPractice) goOn();
else take(turn);
send();
