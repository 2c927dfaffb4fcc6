// Connects the parts. While the page is hidden, only the title is updated.

let view = null;
const connection = { ended: null, lost: false, locked: false, retrySeconds: null };
const detail = detailPanel();
const map = siteMap((id) => detail.choose(id, view));
const showClusters = clusterTable((id) => map.pick(id));

function showSite(site = { kind: "none", note: "This view has no site map." }) {
  const isEmpty = site.kind === "none" || !site.nodes?.length;
  const note = site.note ?? (isEmpty ? "No clusters yet: they are learned from the first pages." : null);
  show(byId("map-note"), note !== null);
  write("map-note", note);
  show(byId("map-body"), !isEmpty);
  const more = site.left_out ? `, ${count(site.left_out)} smaller ones left out` : "";
  write("map-sum", isEmpty ? "" : plural(site.nodes.length, nounOf(site)) + more);
  if (isEmpty) return;
  show(byId("map-outside"), site.kind === "clusters");
  map.update(site);
  showLegend(site);
  showClusters(site);
}

function sum(list) {
  const rows = list?.rows?.length ?? 0;
  return list?.total > rows ? `${count(rows)} of ${count(list.total)}` : "";
}

function render() {
  // The title of a tab is visible even if its page is not.
  showState(view, connection);
  if (document.hidden) return;
  if (view) {
    showHeader(view);
    showFunnel(view);
    showSite(view.site);
    detail.update(view);
    write("classes-sum", [sum(view.classes), view.classes?.waiting && `${plural(view.classes.waiting, "URL")} waiting`].filter(Boolean).join(", "));
    showClasses(view.classes?.rows);
    write("hosts-sum", sum(view.hosts));
    showHosts(view.hosts?.rows);
    showFetches(view.fetches);
    showErrors(view.errors, view.status?.statuses);
    showForce(view.status);
    showFleet(view.status?.fleet);
    showRendering(view.rendering);
  }
  lockControls();
}

function setUpTableSwitch() {
  const button = byId("as-table");
  button.addEventListener("click", () => {
    const asTable = button.getAttribute("aria-pressed") !== "true";
    set(button, "aria-pressed", String(asTable));
    show(byId("graph"), !asTable);
    show(byId("clusters"), asTable);
    if (view) showSite(view.site);
  });
}

const stream = openStream({
  view(newView) {
    view = { ...newView, site: steady(newView.site, newView.status?.in_force) };
    Object.assign(connection, { lost: false, locked: false });
    render();
  },
  ended(reason) {
    connection.ended = reason ?? "no reason given";
    lockForGood();
    render();
  },
  lost(seconds) {
    Object.assign(connection, { lost: true, retrySeconds: seconds });
    render();
  },
  locked() {
    connection.locked = true;
    write("token-note", "A valid token is required to view this crawl.");
    keepToken(null);
    render();
  },
});

takeToken();
setUpHeader();
setUpConfirmation();
setUpTaken();
setUpForce();
setUpTableSwitch();
byId("reconnect").addEventListener("click", () => stream.connect());
byId("token-form").addEventListener("submit", () => connection.locked && stream.connect());
addEventListener("hashchange", () => takeToken() && stream.connect());
document.addEventListener("visibilitychange", render);
render();
stream.connect();
