// Videos and sounds of a pair: two videos run together if that is set, of others one is heard at a
// time; and if that is set too, there is no answer before both were played to the end.
const pair = document.getElementById("pair");
const button = document.getElementById("play");
const media = () => [...pair.querySelectorAll("video, audio")];
const isTogether = () => "together" in pair.dataset && !pair.querySelector("audio");
const play = (node) => node.play().catch(() => {});

function accompany(one, other) {
  one.onplay = () => (isTogether() ? other.ended || play(other) : other.pause());
  one.onpause = () => isTogether() && !one.ended && other.pause();
}

function isHeard({ played, duration }) {
  let seconds = 0;
  for (let k = 0; k < played.length; k++) seconds += played.end(k) - played.start(k);
  return seconds >= 0.95 * duration;
}

function weigh() {
  pair.dataset.hold = "hear" in pair.dataset && !media().every(isHeard) ? "hear" : "";
  document.dispatchEvent(new Event("hold"));
}

button.onclick = () => {
  const [one, other] = media();
  one.currentTime = other.currentTime = 0;
  play(one);
  if (!isTogether()) one.addEventListener("ended", () => play(other), { once: true });
};

new MutationObserver(() => {
  const [one, other] = media();
  button.hidden = !other;
  if (other) accompany(one, other), accompany(other, one);
  for (const node of media()) node.ontimeupdate = node.onended = weigh;
  weigh();
}).observe(document.getElementById("right"), { childList: true });
