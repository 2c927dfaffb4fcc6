// The head of the page: seeds, state, facts and budgets of the crawl.

const STATES = {
  connecting: "Connecting",
  locked: "Locked",
  lost: "Connection lost",
  ended: "Ended",
  draining: "Stopping",
  paused: "Paused",
  stalled: "Stalled",
  running: "Running",
};

/** Returns the state of the crawl and a note about it. */
function stateOf(view, connection) {
  const status = view?.status;
  if (connection.ended != null) return ["ended", `The crawl has ended: ${connection.ended}. This is its last view.`];
  if (connection.locked) return ["locked", "A valid token is required."];
  if (connection.lost) return ["lost", lostText(view, connection.retrySeconds)];
  if (!view) return ["connecting", ""];
  if (status?.draining) return ["draining", "Requests in progress are completed; no new ones are sent."];
  if (status?.paused) return ["paused", "No new requests are sent until it is resumed."];
  if (status?.stall) return ["stalled", status.stall];
  return ["running", ""];
}

function lostText(view, seconds) {
  const last = view?.time ? ` The view shown is from ${clockTime(view.time)}.` : "";
  return `The crawl may have ended.${last}${seconds == null ? "" : ` Retrying in ${Math.round(seconds)} s.`}`;
}

function showState(view, connection) {
  const [state, note] = stateOf(view, connection);
  set(byId("state"), "data-state", state);
  write("state-name", STATES[state]);
  show(byId("state-note"), note !== "");
  write("state-note", note);
  show(byId("retry"), state === "lost" && connection.retrySeconds == null);
  document.body.classList.toggle("stale", state === "lost");
  const pages = view?.status?.pages;
  document.title = `${STATES[state]}${Number.isFinite(pages) ? `, ${plural(pages, "page")}` : ""} – harvestman`;
  const paused = view?.status?.paused === true;
  write("pause", paused ? "Resume" : "Pause");
  set(byId("pause"), "data-command", paused ? "unpause" : "pause");
}

const facts = factList(byId("facts"));

/** Returns how many queries were sent, and what they have found. */
function searchesText({ queries, found, own_wanted: pages = 0 }) {
  const own = pages > 0 ? `, ${plural(pages, "wanted page")} by own searches` : "";
  return `${count(queries)}, ${plural(found, "site")} found${own}`;
}

/** Returns how many posts were written, and how far they are behind. */
function postsText({ posts, threads, authors, behind_bytes: behind }) {
  const late = behind > 0 ? `; ${bytes(behind)} of the page log not read yet` : "";
  return `${count(posts)} in ${plural(threads, "thread")} by ${plural(authors, "author")}${late}`;
}

function showFacts({ crawl, status, time }) {
  const outlook = status?.outlook;
  const waiting = status?.waits?.hosts;
  facts.update([
    ["Policy", crawl?.policy],
    ["Elapsed", duration(status?.elapsed_seconds)],
    ["Wanted pages", status?.wanted == null ? null : count(status.wanted)],
    ["Queries", status?.searches == null ? null : searchesText(status.searches)],
    ["Posts", status?.posts == null ? null : postsText(status.posts)],
    ["Requests", count(status?.requests)],
    ["Received", bytes(status?.bytes)],
    ["Hosts", count(status?.hosts) + (waiting ? `, ${count(waiting)} paused` : "")],
    ["Waiting", count(status?.queued)],
    ["In progress", count(status?.leased)],
    ["Expected yield", outlook ? `${percent(outlook.expected_yield)} of the next ${count(Math.round(outlook.requests))} requests` : null],
    ["Directory", crawl?.out],
  ]);
  write("version", crawl?.version);
  write("seen", time ? `Last view: ${clockTime(time)}` : "");
}

const moreSeeds = linkList();
byId("seeds-more").append(moreSeeds.node);

function showSeeds(seeds = []) {
  write("seed", seeds[0] ?? "no seeds");
  show(byId("seeds-more"), seeds.length > 1);
  write("seeds-count", `and ${count(seeds.length - 1)} more`);
  moreSeeds.update(seeds.slice(1));
}

const BUDGET_TEXTS = { bytes, time: duration };

function budgetItem() {
  const text = make("span");
  const bar = make("progress", { max: 1 });
  return {
    node: make("li", {}, text, bar),
    update({ budget, used, limit }) {
      const write = BUDGET_TEXTS[budget] ?? count;
      setText(text, `${budget}: ${write(used)} of ${write(limit)}`);
      set(bar, "aria-label", `${budget} used`);
      bar.value = limit > 0 ? Math.min(used / limit, 1) : 0;
    },
  };
}

function showHeader(view) {
  showSeeds(view.crawl?.seeds);
  showFacts(view);
  reconcile(byId("budgets"), view.status?.budgets, (it) => it.budget, budgetItem);
}

function setUpHeader() {
  const pause = byId("pause");
  const stop = byId("stop");
  pause.addEventListener("click", () => tell(pause.dataset.command ?? "pause", [], pause));
  stop.addEventListener("click", async () => {
    const text = "Requests in progress are completed and written, then the crawl ends. `harvestman resume` can continue it later.";
    if (await confirmed("Stop the crawl?", text, "Stop the crawl")) await tell("stop", [], stop);
  });
  byId("budget-form").addEventListener("submit", (event) => {
    event.preventDefault();
    tell("set", [`budget.${byId("budget-name").value}=${byId("budget-value").value.trim()}`], event.submitter);
  });
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keepToken(byId("token").value.trim());
    byId("token").value = "";
    lockControls();
    say("The token is stored for this tab. The first command shows whether it is valid.", true);
    byId("main").focus();
  });
}
