// A page that shows games: it is fetched again when one of its games changed, and only what differs is changed in it.
import { left, text } from "./clock.js";
import { follow, say } from "./live.js";
import { patch } from "./patch.js";

const root = document.querySelector("[data-games]");
const wanted = root?.dataset.games;
let pending = null;
let again = false;

/** What concerns this page: everything that waits, or the one game. */
function concerns(data) {
  return wanted === "*" ? true : data.game === wanted;
}

async function fetchAgain() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (answer.redirected && new URL(answer.url).pathname === "/login") return location.assign("/login");
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const cards = () => [...document.querySelectorAll("article.card:not(.decided)")];
  const before = new Set(cards());
  patch(document.getElementById("main"), page.getElementById("main"));
  for (const card of cards()) if (!before.has(card)) say(card.querySelector("h3").textContent.trim());
  dress();
  dials();
}

/** Fetches again soon, once for whatever happens meanwhile. */
function refresh() {
  if (!root) return;
  if (pending) { again = true; return; }
  pending = setTimeout(async () => {
    again = false;
    // Without an answer the stream says so, and comes back with everything.
    await fetchAgain().catch(() => {});
    pending = null;
    if (again) refresh();
  }, 150);
}

const needs = new Map();
function count(batch) {
  for (const data of batch) needs.set(data.game, data.cases + data.calls);
  const waiting = [...needs.values()].reduce((sum, more) => sum + more, 0);
  const badge = document.getElementById("waiting");
  badge.hidden = waiting === 0;
  badge.textContent = waiting;
}

let first = true;
follow((all) => {
  needs.clear();
  count(all);
  if (!first) refresh();
  first = false;
}, (some) => {
  count(some);
  if (some.some(concerns)) refresh();
});

/** The button says what the chosen way is: confirm, change, refuse. A reason is needed for all but the first. */
function dress() {
  for (const form of document.querySelectorAll("form.decide")) {
    const chosen = form.querySelector("input[name=choice]:checked");
    const button = form.querySelector("button.act");
    if (!chosen || !button) continue;
    button.textContent = button.dataset[chosen.dataset.kind];
    button.classList.toggle("refuse", chosen.dataset.kind === "refuse");
    const note = form.elements.note;
    note.dataset.always ??= note.required ? "yes" : "";
    note.required = note.dataset.always === "yes" || chosen.dataset.kind !== "confirm";
  }
}

/** From when on the clocks of the page are counted on. */
function dials() {
  for (const dial of document.querySelectorAll(".dial")) dial.since = performance.now() - Number(dial.dataset.ago || 0);
}
document.addEventListener("change", (event) => { if (event.target.name === "choice") dress(); });
document.getElementById("print")?.addEventListener("click", () => print());
dress();
dials();

function frame(now) {
  for (const dial of document.querySelectorAll(".dial")) {
    [...dial.querySelectorAll(".left")].forEach((reading, index) => {
      const half = { left: reading.dataset.left === "" ? null : Number(reading.dataset.left), delay: Number(reading.dataset.delay) };
      const runs = dial.dataset.state === "running" && Number(dial.dataset.turn) === index && dial.dataset.ago !== "";
      const shown = text(left(half, runs ? now - dial.since : 0));
      if (reading.textContent !== shown) reading.textContent = shown;
      reading.parentElement.classList.toggle("runs", runs);
    });
  }
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
