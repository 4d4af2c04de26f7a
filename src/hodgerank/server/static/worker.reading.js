// Texts that are longer than their place: they fade out at its end, and open as a whole.
const dialog = document.getElementById("reading");
const [whole] = dialog.children;
const sizes = new ResizeObserver(() => places.forEach((look) => look()));

const places = [...document.querySelectorAll("[data-reads]")].map((button) => {
  const place = document.getElementById(button.dataset.reads);
  // Words under a picture scroll by themselves.
  const text = () => (place.matches(".has-media") && place.querySelector(".words")) || place;
  const look = () => {
    const { scrollTop, clientHeight, scrollHeight } = text();
    const isMore = scrollTop + clientHeight < scrollHeight - 4;
    for (const node of [place, ...place.children]) node.classList.remove("fades");
    text().classList.toggle("fades", isMore);
    button.hidden = !isMore;
  };
  button.onclick = () => {
    const { childNodes } = text();
    whole.className = text() === place ? "lines" : text().className;
    whole.replaceChildren(...[...childNodes].map((node) => node.cloneNode(true)));
    whole.classList.remove("fades");
    dialog.showModal();
    whole.scrollTop = 0;
  };
  place.addEventListener("scroll", look, true);
  new MutationObserver(look).observe(place, { childList: true });
  sizes.observe(place);
  return look;
});
