// Zoom: both pictures as large as they are, side by side, moved together.
const zoom = document.getElementById("zoom");
const button = document.getElementById("zoom-in");
const panes = [...zoom.querySelectorAll("div")];
const pictures = () => [...document.querySelectorAll(".shown > img")];

button.onclick = () => {
  if (zoom.open) return zoom.close();
  panes.forEach((pane, k) => pane.replaceChildren(pictures()[k].cloneNode()));
  zoom.showModal();
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = panes[0];
  panes[0].scrollTo((scrollWidth - clientWidth) / 2, (scrollHeight - clientHeight) / 2);
};

panes.forEach((pane, k) => {
  pane.onscroll = () => panes[1 - k].scrollTo(pane.scrollLeft, pane.scrollTop);
  pane.onpointermove = ({ buttons, pointerType, movementX, movementY }) => {
    if (buttons === 1 && pointerType === "mouse") pane.scrollBy(-movementX, -movementY);
  };
});

// Another pair is there.
new MutationObserver(() => {
  zoom.close();
  button.hidden = pictures().length < 2;
}).observe(document.getElementById("right"), { childList: true });
