// What the service tells while the page is open. The browser connects again by itself; the strip says so meanwhile.

const strip = document.getElementById("link");
const said = document.getElementById("said");

/** Calls `all` with every tile first (and after each reconnect), then `some` with those that changed. */
export function follow(all, some) {
  let source = null;
  const heard = (tell) => (event) => {
    strip.hidden = true;
    tell(JSON.parse(event.data));
  };
  function connect() {
    source = new EventSource("/live");
    source.addEventListener("all", heard(all));
    source.addEventListener("some", heard(some));
    source.onerror = () => {
      strip.hidden = false;
      // A stream that was refused does not come back by itself: the session is over, or the service is too busy.
      if (source.readyState === EventSource.CLOSED) setTimeout(again, 2000);
    };
  }
  async function again() {
    const answer = await fetch(location.href, { method: "HEAD" }).catch(() => null);
    if (answer?.redirected && new URL(answer.url).pathname === "/login") location.assign("/login");
    else connect();
  }
  connect();
  // A browser keeps pages that were left, and six connections to a host are all it has: six pages left would keep the seventh waiting.
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
}

/** Says something to whoever listens to the page instead of looking at it. */
export function say(text) {
  said.textContent = text;
}
