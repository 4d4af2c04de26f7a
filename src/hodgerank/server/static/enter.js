// The token stands behind the #, which browsers send to nobody: it is posted, and removed at once.
const words = document.getElementById("words");
const token = location.hash.slice(1);
if (token) {
  history.replaceState(null, "", location.pathname);
  words.textContent = words.dataset.trying;
  const answer = await fetch(location.pathname, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ token }),
  });
  const said = await answer.json();
  if (answer.ok) location.replace(said.go_to);
  else words.textContent = said.detail;
}
