// A page that shows games: its parts are fetched again when one of its games changed, and only what differs is replaced.
import { left, text } from "./clock.js";
import { follow, say } from "./live.js";

const root = document.querySelector("[data-games]");
const wanted = root?.dataset.games;
const told = new WeakMap();
let pending = null;
let again = false;

for (const part of document.querySelectorAll("[data-part]")) told.set(part, part.outerHTML);

/** What concerns this page: everything that waits, or the one game. */
function concerns(data) {
  return wanted === "*" ? true : data.game === wanted;
}

/** A field by its form and its name: two forms of a part may ask for the same. */
function fieldKey(field) {
  return `${field.form?.dataset.of ?? ""} ${field.name}${field.type === "radio" ? ` ${field.value}` : ""}`;
}

/** Fields that a reader fills in. */
function fields(part) {
  return [...part.querySelectorAll("input:not([type=hidden]), textarea, select")];
}

/** A part replaced, with what its reader had typed, chosen and opened. */
function replace(old, fresh) {
  const kept = new Map(fields(old).map((field) => [fieldKey(field), [field.value, field.checked]]));
  const said = (details) => details.querySelector("summary").textContent;
  const open = new Set([...old.querySelectorAll("details[open]")].map(said));
  const focus = old.contains(document.activeElement) && document.activeElement.name ? fieldKey(document.activeElement) : null;
  old.replaceWith(fresh);
  for (const field of fields(fresh)) {
    const [value, checked] = kept.get(fieldKey(field)) ?? [field.value, field.checked];
    if (field.type === "radio" || field.type === "checkbox") field.checked = checked;
    else if (field.tagName !== "SELECT" || [...field.options].some((option) => option.value === value)) field.value = value;
  }
  for (const details of fresh.querySelectorAll("details")) details.open = open.has(said(details));
  if (focus) fields(fresh).find((field) => fieldKey(field) === focus)?.focus();
}

async function fetchAgain() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (answer.redirected && new URL(answer.url).pathname === "/login") return location.assign("/login");
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = [...page.querySelectorAll("[data-part]")];
  const names = fresh.map((part) => part.dataset.part).join("\n");
  const here = [...document.querySelectorAll("[data-part]")];
  if (names !== here.map((part) => part.dataset.part).join("\n")) {
    // Cards came or went or moved: the whole content is laid out anew, and cards that stayed keep what was typed into them.
    const main = document.getElementById("main");
    const before = new Map(here.map((part) => [part.dataset.part, part]));
    const next = page.getElementById("main");
    for (const part of fresh) told.set(part, part.outerHTML);
    for (const part of next.querySelectorAll("[data-part]")) {
      const old = before.get(part.dataset.part);
      if (old && told.get(old) === told.get(part)) part.replaceWith(old);
      else if (!old && part.matches(".card:not(.decided)")) say(part.querySelector("h3").textContent.trim());
    }
    main.replaceChildren(...next.childNodes);
  } else {
    fresh.forEach((part, index) => {
      const html = part.outerHTML;
      if (told.get(here[index]) === html) return;
      told.set(part, html);
      replace(here[index], part);
    });
  }
  dress();
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
  for (const dial of document.querySelectorAll(".dial")) dial.since ??= performance.now() - Number(dial.dataset.ago || 0);
}
document.addEventListener("change", (event) => { if (event.target.name === "choice") dress(); });
document.getElementById("print")?.addEventListener("click", () => print());
dress();

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
