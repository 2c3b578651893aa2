// What a clock shows now, from what it showed when it was heard. The page's own time only, never the calendar.

/** Milliseconds left of a half that shows `half.left` and has run for `ran` ms; null: not known. */
export function left(half, ran) {
  if (half.left === null) return null;
  return Math.max(0, half.left - Math.max(0, ran - half.delay));
}

/** A reading as people say it: 1:02:30, 12:04, 0:09.4. Tenths below twenty seconds. */
export function text(ms) {
  if (ms === null) return "–:––";
  const two = (n) => String(n).padStart(2, "0");
  if (ms < 20_000) {
    const tenths = Math.floor(ms / 100);
    return `0:${two(Math.floor(tenths / 10))}.${tenths % 10}`;
  }
  // Cut off as on the clock itself: a second shown is a second left.
  const seconds = Math.floor(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
