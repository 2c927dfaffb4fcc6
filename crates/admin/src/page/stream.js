// The stream of views. It is read by fetch, because an EventSource cannot show a token.

const RETRY_FIRST_MS = 1000;
const RETRY_MOST_MS = 10000;
// About five minutes; then somebody has to ask for it, and the console is left alone.
const RETRIES_MOST = 30;
// The server speaks about once a second. A connection that sleeps does not say that it is dead.
const SILENCE_MOST_MS = 20000;

/** Takes a text stream apart (Server-sent events, HTML standard 9.2.6); `feed` takes pieces as they come. */
function eventParser(take) {
  let rest = "";
  let name = "";
  let data = [];
  const line = (text) => {
    if (text === "") {
      if (data.length) take(name || "message", data.join("\n"));
      [name, data] = ["", []];
    } else if (text.startsWith("event:")) name = text.slice(6).trim();
    else if (text.startsWith("data:")) data.push(text.slice(5).replace(/^ /, ""));
  };
  return (piece) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop();
    for (const text of lines) line(text.replace(/\r$/, ""));
  };
}

/**
 * Keeps a stream open. `on` is told `view(view)`, `ended(reason)`, `lost(seconds)`: broken, tried again after so long (null: no more),
 * and `locked()`: nothing is shown without the right token.
 */
function openStream(on) {
  let tries = 0;
  let over = false;
  let timer = null;
  let connection = null;

  const take = (name, data) => {
    tries = 0;
    if (name === "view") on.view(JSON.parse(data));
    if (name === "ended") {
      over = true;
      on.ended(JSON.parse(data).reason);
    }
  };

  async function read(signal, alive) {
    const response = await fetch("/api/events", { headers: authorization(), cache: "no-store", signal });
    if (response.status === 401) return "locked";
    if (!response.ok) return "lost";
    const feed = eventParser(take);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    while (!over) {
      alive();
      const { done, value } = await reader.read();
      if (done) break;
      feed(value);
    }
    return "lost";
  }

  async function connect() {
    clearTimeout(timer);
    connection?.abort();
    const mine = new AbortController();
    connection = mine;
    let watchdog = null;
    const alive = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => mine.abort(), SILENCE_MOST_MS);
    };
    alive();
    const end = await read(mine.signal, alive).catch(() => "lost");
    clearTimeout(watchdog);
    if (over || connection !== mine) return;
    if (end === "locked") on.locked();
    else again();
  }

  function again() {
    tries += 1;
    const pause = tries > RETRIES_MOST ? null : Math.min(RETRY_FIRST_MS * 2 ** (tries - 1), RETRY_MOST_MS);
    on.lost(pause === null ? null : pause / 1000);
    if (pause !== null) timer = setTimeout(connect, pause);
  }

  return {
    connect() {
      tries = 0;
      if (!over) connect();
    },
  };
}
