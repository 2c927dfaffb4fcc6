// The stream of views. It is read with fetch, because an EventSource cannot send a token.

const RETRY_FIRST_MS = 1000;
const RETRY_MOST_MS = 10000;
// About five minutes; after that the user has to reconnect, and the console gets no more errors.
const RETRIES_MOST = 30;
// The server sends about once per second. A dead connection may not report an error.
const SILENCE_MOST_MS = 20000;

/** Returns a parser of an event stream (server-sent events, HTML standard 9.2.6), which takes pieces of text as they arrive. */
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

// Keeps a stream open. Calls `on.view(view)`, `on.ended(reason)`, `on.lost(seconds)` when it broke, with the time until the next attempt
// (null: none), and `on.locked()` when the token is missing or invalid.
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
