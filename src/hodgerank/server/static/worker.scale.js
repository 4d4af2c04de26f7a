// The scale of fine grades: where it stands is what its button answers.
const scale = document.getElementById("scale");
const send = document.getElementById("send");
const [left, right] = document.querySelectorAll(".choice");

scale.oninput = () => {
  const side = scale.value > 0 ? right : left;
  scale.ariaValueText = `${side.ariaLabel}: ${Math.abs(scale.value)} / ${scale.max}`;
  send.dataset.outcome = -scale.value / scale.max || "";
};

scale.onkeydown = (event) => {
  if (event.key === "Enter" && !event.repeat) send.click();
};

// Another pair is there.
new MutationObserver(() => {
  scale.value = send.dataset.outcome = scale.ariaValueText = "";
}).observe(document.getElementById("right"), { childList: true });
