// The hall: a tile a board, changed only where something changed, and clocks that tick between two messages.
import { left, text } from "./clock.js";
import { follow, say } from "./live.js";

const hall = document.getElementById("hall");
const form = document.getElementById("filter");
const words = document.getElementById("words").dataset;
const blank = document.getElementById("tile").content.firstElementChild;
const tiles = new Map();
const rank = ["case", "call", "unconfirmed", "fault", "look", "nothing"];
const natural = new Intl.Collator(document.documentElement.lang, { numeric: true });

/** A tile's parts, found once. */
class Tile {
  constructor(game) {
    this.item = blank.cloneNode(true);
    const part = (name) => this.item.querySelector(name);
    this.link = part(".face");
    this.link.href = `/game/${encodeURIComponent(game)}`;
    this.parts = { mark: part(".mark"), use: part("use"), board: part(".board"), sector: part(".sector"), result: part(".result"),
      health: part(".health"), need: part(".need"), heard: part(".heard") };
    this.halves = [".white", ".black"].map((side) => {
      const half = part(side);
      const find = (name) => half.querySelector(name);
      return { half, name: find(".name"), left: find(".left"), moves: find(".moves"), shown: "" };
    });
    this.seen = false;
    this.item.tile = this;
    watching.observe(this.item);
  }

  /** Takes what the service said just now. */
  take(data) {
    const before = this.data;
    this.data = data;
    this.since = performance.now() - (data.ago ?? 0);
    this.heardAt = data.heard === null ? null : performance.now() - data.heard;
    const { parts } = this;
    put(parts.board, data.board);
    put(parts.sector, data.sector);
    put(parts.result, data.counts ? `${data.result} · ${words.counts} ${data.counts}` : data.result);
    put(parts.health, data.faults.map((fault) => words[`f${fault}`]).filter(Boolean).join(", "));
    parts.use.setAttribute("href", `#m-${data.need}`);
    parts.mark.setAttribute("class", `mark ${data.need}`);
    put(parts.need, data.need !== "nothing" ? (data.need === "fault" && !data.connected ? words.off : words[data.need])
      : data.sending ? words.sending : data.result ? "" : words[data.state]);
    this.item.className = `tile need-${data.need} state-${data.state}`;
    this.halves.forEach((half, index) => {
      const hand = data.hands[index];
      put(half.name, index === 0 ? data.white || words.white : data.black || words.black);
      put(half.moves, String(hand.moves));
      const turn = data.turn === index && !data.result;
      half.half.classList.toggle("turn", turn);
      half.half.classList.toggle("runs", turn && data.state === "running");
      half.half.classList.toggle("flag", hand.flag);
    });
    this.tick(performance.now());
    this.label();
    if (before && rank.indexOf(data.need) < rank.indexOf(before.need)) say(`${words.board} ${data.board}: ${words[data.need]}`);
  }

  /** The name that a screen reader says for the tile. */
  label() {
    const { data } = this;
    const sides = this.halves.map((half, index) => `${half.name.textContent} ${half.shown}`).join(", ");
    this.link.setAttribute("aria-label", `${words.board} ${data.board}. ${this.parts.need.textContent || words[data.state]}. ${sides}${data.result ? `. ${data.result}` : ""}`);
  }

  tick(now) {
    const { data } = this;
    this.halves.forEach((half, index) => {
      const runs = data.state === "running" && data.turn === index && data.ago !== null;
      const ms = left(data.hands[index], runs ? now - this.since : 0);
      const shown = text(ms);
      if (shown !== half.shown) {
        half.shown = shown;
        half.left.textContent = shown;
        half.half.classList.toggle("low", ms !== null && ms < 20_000 && data.state !== "over");
      }
    });
  }

  /** How long ago it was heard; said only where that is longer than it should be. */
  age(now) {
    const { data } = this;
    const over = data.state === "over" || data.state === "adjourned";
    if (over || (data.connected && this.heardAt !== null)) return put(this.parts.heard, "");
    if (this.heardAt === null) return put(this.parts.heard, words.never);
    const seconds = Math.floor((now - this.heardAt) / 1000);
    const ago = seconds < 120 ? `${seconds} ${words.s}` : `${Math.floor(seconds / 60)} ${words.min}`;
    put(this.parts.heard, words.heard.replace("{}", ago));
  }
}

/** Text that changes is written; text that does not is left alone. */
function put(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

const watching = new IntersectionObserver((entries) => {
  for (const entry of entries) entry.target.tile.seen = entry.isIntersecting;
}, { rootMargin: "200px" });

function matches(data) {
  const wanted = new FormData(form);
  const sought = wanted.get("text").trim().toLocaleLowerCase();
  const state = wanted.get("state");
  if (state === "needy" ? data.need === "nothing" : state && data.state !== state) return false;
  if (wanted.get("sector") && wanted.get("sector") !== data.sector) return false;
  return !sought || [data.board, data.game, data.white, data.black].some((text) => text.toLocaleLowerCase().includes(sought));
}

/** Which tiles are shown and in which order. Moved only when the order changed. */
function arrange() {
  const all = [...tiles.values()];
  const first = form.elements.first.checked;
  all.sort((a, b) => (first ? rank.indexOf(a.data.need) - rank.indexOf(b.data.need) : 0) || natural.compare(a.data.board, b.data.board)
    || natural.compare(a.data.game, b.data.game));
  let place = hall.firstElementChild;
  let shown = 0;
  for (const tile of all) {
    if (tile.item !== place) hall.insertBefore(tile.item, place);
    else place = place.nextElementSibling;
    tile.item.hidden = !matches(tile.data);
    shown += tile.item.hidden ? 0 : 1;
  }
  document.getElementById("shown").textContent = shown;
  document.getElementById("boards").textContent = all.length;
  document.getElementById("needy").textContent = all.filter((tile) => tile.data.need !== "nothing").length;
  const waiting = all.reduce((sum, tile) => sum + tile.data.cases + tile.data.calls, 0);
  const badge = document.getElementById("waiting");
  badge.hidden = waiting === 0;
  badge.textContent = waiting;
  document.getElementById("none").hidden = all.length > 0;
  document.getElementById("earlier").hidden = form.elements.state.value !== "over";
  const sectors = new Set(all.map((tile) => tile.data.sector).filter(Boolean));
  const choice = form.elements.sector;
  for (const sector of sectors) if (![...choice.options].some((option) => option.value === sector)) choice.add(new Option(sector, sector));
  document.getElementById("sectors").hidden = sectors.size === 0;
}

function take(batch) {
  let rearrange = false;
  for (const data of batch) {
    let tile = tiles.get(data.game);
    if (data.past) {
      tile?.item.remove();
      rearrange = tiles.delete(data.game) || rearrange;
      continue;
    }
    if (!tile) {
      tile = new Tile(data.game);
      tiles.set(data.game, tile);
      rearrange = true;
    }
    const before = tile.data;
    tile.take(data);
    rearrange ||= !before || before.need !== data.need || before.state !== data.state || before.calls + before.cases !== data.calls + data.cases || before.board !== data.board;
  }
  if (rearrange) arrange();
}

follow((all) => {
  const named = new Set(all.map((data) => data.game));
  for (const [game, tile] of tiles) if (!named.has(game)) { tile.item.remove(); tiles.delete(game); }
  take(all);
  arrange();
}, take);

form.addEventListener("input", arrange);
form.addEventListener("submit", (event) => event.preventDefault());

let aged = 0;
function frame(now) {
  for (const tile of tiles.values()) if (tile.seen && tile.data.state === "running") tile.tick(now);
  if (now - aged > 1000) {
    aged = now;
    for (const tile of tiles.values()) if (tile.seen) tile.age(now);
  }
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
