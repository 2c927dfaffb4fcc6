// Tables of clusters, waiting link classes, hosts and fetches; and the errors.

/** Creates cells with the text that `text(row)` returns. */
function textCell(text, kind = "") {
  return () => {
    const node = make("td", { class: kind || null });
    return { node, update: (row) => setText(node, text(row)) };
  };
}

function linkCell(url) {
  return () => {
    const link = outLink();
    return { node: make("td.url", {}, link.node), update: (row) => link.update(url(row)) };
  };
}

function buttonCell(label, act, name, steers = true) {
  return () => {
    let row = null;
    const button = tellButton(() => act(row, button), steers);
    return {
      node: make("td", {}, button),
      update(newRow) {
        row = newRow;
        setText(button, label(row));
        set(button, "aria-label", visible(`${label(row)} ${name(row)}`));
      },
    };
  };
}

/** Creates a cell with the score and its terms, which are collapsed. */
function scoreCell() {
  const summary = make("summary");
  const terms = termList();
  const [folded, plain] = [make("details", {}, summary, terms.node), make("span")];
  return {
    node: make("td.num", {}, folded, plain),
    update(row) {
      const hasTerms = Object.keys(row.terms ?? {}).length > 0;
      show(folded, hasTerms);
      setText(summary, score(row.score));
      setText(plain, hasTerms ? "" : score(row.score));
      terms.update(row.terms);
    },
  };
}

/** Creates a table in a scrollable region: `columns` are `[heading, cell, kind]`. Returns a function that shows rows in it. */
function table(place, caption, columns, keyOf, none = "None.") {
  const id = `${place}-caption`;
  const body = make("tbody");
  const heads = columns.map(([name, , kind]) => make(`th${kind ? `.${kind}` : ""}`, { scope: "col" }, name));
  const empty = make("p.hint", {}, none);
  const full = make("table", {}, make("caption", { id }, caption), make("thead", {}, make("tr", {}, ...heads)), body);
  const region = make("div.scroll", { role: "region", tabindex: 0, "aria-labelledby": id }, full);
  byId(place).append(empty, region);
  const build = () => {
    const cells = columns.map(([, cell]) => cell());
    return { node: make("tr", {}, ...cells.map((cell) => cell.node)), update: (row) => cells.forEach((cell) => cell.update(row)) };
  };
  return (rows) => {
    show(empty, !rows?.length);
    show(region, rows?.length > 0);
    reconcile(body, rows, keyOf, build);
  };
}

function clusterTable(choose) {
  const columns = [
    ["No.", buttonCell((row) => String(row.number ?? row.id), (row) => choose(row.id), (row) => `, show this ${row.noun}`, false)],
    ["Description", textCell((row) => row.name, "url foreign")],
    ["Pages", textCell((row) => count(row.pages), "num"), "num"],
    ["Worth", textCell((row) => (row.worth == null ? UNKNOWN : score(row.worth)), "num"), "num"],
    ["Links lead to", textCell((row) => row.leads)],
    ["Commands", textCell((row) => [row.pinned && "pinned", row.banned && "banned"].filter(Boolean).join(", "))],
    ["Example", linkCell((row) => row.examples?.[0])],
  ];
  const update = table("clusters", "The site map, the largest first", columns, (row) => row.id);
  return (site) => {
    const leads = (id) => (site.edges ?? []).filter((edge) => edge.from === id).sort((a, b) => b.share - a.share).slice(0, 4);
    const text = (id) => leads(id).map((edge) => `${edge.to} (${percent(edge.share)})`).join(", ");
    update((site.nodes ?? []).map((node) => ({ ...node, name: nameOf(node, site), noun: nounOf(site), leads: text(node.id) })));
  };
}

const showClasses = table("classes", "Link classes, the best first", [
  ["Pattern", textCell((row) => row.pattern ?? "any", "url foreign")],
  ["Waiting", textCell((row) => count(row.waiting), "num"), "num"],
  ["Score", scoreCell, "num"],
  ["From", textCell((row) => row.cluster ?? UNKNOWN, "num"), "num"],
  ["Leads to", textCell((row) => row.leads_to ?? UNKNOWN, "num"), "num"],
  ["Status", textCell((row) => row.standing ?? "")],
  ["Place", textCell((row) => row.place, "url foreign")],
  ["Example", linkCell((row) => row.example)],
], (row) => row.class, "No URLs are waiting.");

const HOST_STATES = {
  delay: "crawl delay", back_off: "backing off", breaker: "considered down", robots: "waiting for robots.txt", busy: "in progress",
  group: "waiting for its group", address: "waiting for its address",
};

const showHosts = table("hosts", "Hosts, most waiting first", [
  ["Host", textCell((row) => row.host, "url foreign")],
  ["State", textCell((row) => HOST_STATES[row.state] ?? words(row.state))],
  ["Command", buttonCell((row) => (row.state === "blocked" ? "Unblock" : "Block"),
    (row, button) => tell(row.state === "blocked" ? "unblock" : "block", [row.host], button), (row) => row.host)],
  ["Next in", textCell((row) => wait(row.next_seconds), "num"), "num"],
  ["Delay", textCell((row) => wait(row.delay_seconds), "num"), "num"],
  ["Waiting", textCell((row) => count(row.waiting), "num"), "num"],
  ["In progress", textCell((row) => count(row.under_way), "num"), "num"],
  ["Failures", textCell((row) => count(row.failures), "num"), "num"],
], (row) => row.host, "No hosts yet.");

const showNodes = table("fleet", "Nodes of the fleet", [
  ["Node", textCell((row) => row.node, "url foreign")],
  ["State", textCell((row) => [row.state, row.leads && "leader", row.isThis && "this node"].filter(Boolean).join(", "))],
  ["Partitions", textCell((row) => count(row.partitions), "num"), "num"],
  ["Caught up", textCell((row) => count(row.caught_up), "num"), "num"],
  ["Waiting", textCell((row) => count(row.waiting), "num"), "num"],
  ["In progress", textCell((row) => count(row.under_way), "num"), "num"],
  ["Pages", textCell((row) => count(row.pages), "num"), "num"],
  ["Behind", textCell((row) => count(row.behind), "num"), "num"],
], (row) => row.session, "No nodes yet.");

/** Shows the fleet of this crawl, if it is a node of one. */
function showFleet(standing) {
  show(byId("fleet-section"), standing != null);
  const { fleet, session, margin_seconds: margin } = standing ?? {};
  const nodes = fleet?.nodes ?? [];
  const shown = fleet?.size > nodes.length ? `${count(nodes.length)} of ${plural(fleet.size, "node")}` : plural(nodes.length, "node");
  const lease = margin > 0 ? `this node may fetch for another ${wait(margin)}` : "this node does not fetch: its lease could not be renewed";
  write("fleet-sum", `${fleet?.name ?? UNKNOWN}, ${fleet?.state ?? UNKNOWN}: ${count(fleet?.held)} of ${count(fleet?.partitions)} partitions held, ${shown}; ${lease}`);
  showNodes(nodes.map((node) => ({ ...node, isThis: node.session === session })));
}

const showRenderClasses = table("rendering", "Classes of pages, the largest first", [
  ["First page", linkCell((row) => row.example)],
  ["Pages", textCell((row) => count(row.pages), "num"), "num"],
  ["Rendered", textCell((row) => count(row.rendered), "num"), "num"],
  ["Replayed", textCell((row) => count(row.replayed), "num"), "num"],
  ["Need", textCell((row) => row.need)],
  ["Gain", textCell((row) => row.gain.toFixed(1), "num"), "num"],
  ["Replay", textCell((row) => row.replay ?? "")],
  ["Requests", textCell((row) => row.requests?.replaceAll("\n", "; ") ?? "", "url foreign")],
], (row) => row.class, "No page with scripts yet.");

/** Shows which classes of pages are rendered, if any may be. */
function showRendering(known) {
  show(byId("rendering-section"), known != null);
  if (!known) return;
  const rest = known.known > known.classes.length ? `, ${count(known.classes.length)} of ${count(known.known)} classes` : "";
  write("rendering-sum", `${plural(known.rendered, "page")} rendered, ${count(known.replayed)} replayed${rest}`);
  showRenderClasses(known.classes);
}

const showFetches = table("fetches", "Fetches, the newest first", [
  ["Time", textCell((row) => clockTime(row.time), "num"), "num"],
  ["Address", linkCell((row) => row.url)],
  ["Posts", takenCell],
  ["Fate", textCell((row) => words(row.reason ? `${row.fate}: ${row.reason}` : row.fate))],
  ["Status", textCell((row) => row.status ?? UNKNOWN, "num"), "num"],
  ["Size", textCell((row) => bytes(row.bytes), "num"), "num"],
  ["Took", textCell((row) => (row.duration_ms == null ? UNKNOWN : `${count(row.duration_ms)} ms`), "num"), "num"],
  ["Cluster", textCell((row) => row.cluster ?? UNKNOWN, "num"), "num"],
  ["Score", textCell((row) => score(row.score), "num"), "num"],
  ["Title", textCell((row) => row.title, "url foreign")],
], (row) => `${row.time} ${row.url}`, "No fetches yet.");

function errorItem() {
  const [name, number, advice] = [make("strong"), make("span.num"), make("p")];
  const examples = linkList();
  const node = make("li", {}, name, " ", number, advice, make("details", {}, make("summary", {}, "Examples"), examples.node));
  return {
    node,
    update(error) {
      setText(name, words(error.reason));
      setText(number, count(error.count));
      setText(advice, error.advice);
      show(advice, Boolean(error.advice));
      show(node.lastChild, error.examples?.length > 0);
      examples.update(error.examples);
    },
  };
}

function showErrors(errors = [], statuses = {}) {
  const answers = Object.entries(statuses).map(([status, number]) => `${status}: ${count(number)}`);
  write("errors-sum", answers.length ? `Responses by status: ${answers.join(", ")}` : "");
  reconcile(byId("errors"), errors, (error) => error.reason, errorItem);
}
