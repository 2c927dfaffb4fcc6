// The site map: a drawing of the clusters, with keyboard control.

// Viridis: perceptually uniform, also in greyscale and for colour-blind users (van der Walt and Smith 2015).
const SCALE = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const LABEL_MOST = 24;
const LABEL_PIXELS = 6.2;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function colour(worth) {
  const at = Math.min(Math.max(worth, 0), 1) * (SCALE.length - 1);
  const low = Math.min(Math.floor(at), SCALE.length - 2);
  return SCALE[low].map((value, i) => Math.round(value + (SCALE[low + 1][i] - value) * (at - low)));
}

/** Returns black or white, whichever is more readable: the contrast is at least 4.5 to 1 on each colour of the scale. */
function inkOn([r, g, b]) {
  return 0.3 * r + 0.59 * g + 0.11 * b > 103 ? "#000" : "#fff";
}

const OUTSIDE_TEMPLATES = { 0: "before templates", 1: "outliers" };

function nounOf(site) {
  return site?.kind === "forms" ? "form" : "cluster";
}

/** Returns a name such as `cluster 5`; URL forms have no stable numbers. */
function numbered(node, site) {
  return site.kind === "forms" ? "form" : `${nounOf(site)} ${node.id}`;
}

/** Returns the name of a node in a command. In URL forms, all wildcards are written as stars. */
function targetOf(node, site) {
  return site.kind === "forms" ? (node.pattern ?? "").replace(/(?<=[/=])[NS](?=[/?&]|$)/g, "*") : String(node.id);
}

const formNumbers = new Map();

/** Gives URL forms stable numbers: the server renumbers them in each view, and here each retains its first number. */
function steady(site, held) {
  if (site?.kind !== "forms") return site;
  const numbers = new Map();
  const nodes = (site.nodes ?? []).map((node) => {
    if (!formNumbers.has(node.pattern)) formNumbers.set(node.pattern, formNumbers.size);
    numbers.set(node.id, formNumbers.get(node.pattern));
    const [target, id] = [targetOf(node, site), numbers.get(node.id)];
    return { ...node, id, number: node.id, pinned: held?.pinned?.includes(target), banned: held?.banned?.includes(target) };
  });
  const edges = (site.edges ?? []).map((edge) => ({ ...edge, from: numbers.get(edge.from), to: numbers.get(edge.to) }));
  return { ...site, nodes, edges };
}

/** Returns a short description of a cluster. */
function nameOf(node, site) {
  return (site.kind === "clusters" && OUTSIDE_TEMPLATES[node.id]) || node.pattern || node.title || node.examples?.[0] || "";
}

function shorten(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function worthOf(node, site) {
  if (site.kind === "forms") return null;
  return node.worth == null ? "no score" : `worth ${score(node.worth)}`;
}

function nodeLabel(node, site) {
  const marks = [node.pinned && "pinned", node.banned && "banned", worthOf(node, site), `e.g. ${shorten(node.examples?.[0] ?? "none", 80)}`];
  // It begins with the visible label, so that users of voice control can say what they see.
  return visible([`${numbered(node, site)} ${shorten(nameOf(node, site), LABEL_MOST)}`, plural(node.pages, "page"), ...marks.filter(Boolean)].join(", "));
}

function siteMap(choose) {
  const svg = byId("map");
  const [edgeLayer, nodeLayer] = [make("svg:g", { "aria-hidden": "true" }), make("svg:g")];
  svg.append(arrowHead("arrow"), arrowHead("arrow-chosen"), edgeLayer, nodeLayer);
  const layout = forceLayout();
  let [site, chosen, current, frame, size] = [{ nodes: [], edges: [] }, null, null, null, { width: 0, height: 0 }];

  const bySize = () => [...site.nodes].sort((a, b) => b.pages - a.pages || a.id - b.id);
  const radius = (pages, most) => Math.max(5, (size.width < 500 ? 22 : 32) * Math.sqrt(pages / Math.max(most, 1)));
  const threshold = () => Number(byId("share").value) / 100;

  function update(newSite) {
    site = { ...newSite, nodes: newSite?.nodes ?? [], edges: newSite?.edges ?? [] };
    measure();
    if (!size.width || !site.nodes.length) return;
    const most = Math.max(...site.nodes.map((node) => node.pages));
    const sized = bySize().map((node) => ({ ...node, r: radius(node.pages, most) }));
    layout.take(sized, site.edges, size.width, size.height);
    if (calm.matches) layout.settle();
    if (!site.nodes.some((node) => node.id === current)) current = sized[0].id;
    reconcile(nodeLayer, sized, (node) => node.id, nodeDrawing);
    if (layout.isSettled()) draw();
    else frame ??= requestAnimationFrame(animate);
  }

  function measure() {
    const width = Math.round(svg.parentElement.clientWidth);
    const height = Math.round(Math.min(Math.max(width * 0.7, 320), 560));
    if (width === size.width) return;
    size = { width, height };
    set(svg, "viewBox", `0 0 ${width} ${height}`);
    svg.style.height = `${height}px`;
  }

  function animate() {
    frame = null;
    for (let i = 0; i < 3 && !layout.isSettled(); i += 1) layout.step();
    draw();
    if (!layout.isSettled()) frame = requestAnimationFrame(animate);
  }

  function draw() {
    const shown = site.edges.filter((edge) => edge.share >= threshold() && layout.at(edge.from) && layout.at(edge.to));
    const pairs = new Set(shown.map((edge) => `${edge.from} ${edge.to}`));
    const drawn = shown.map((edge) => ({ ...edge, isDouble: pairs.has(`${edge.to} ${edge.from}`) }));
    reconcile(edgeLayer, drawn, (edge) => `${edge.from} ${edge.to}`, () => edgeDrawing(layout, () => chosen));
    const taken = bySize().map((node) => boxAround(layout.at(node.id)));
    for (const node of bySize()) drawings.get(node.id)?.place(layout.at(node.id), taken);
  }

  const drawings = new Map();
  function nodeDrawing({ id }) {
    const drawing = clusterDrawing({ choose: () => pick(id), focus: () => focusOn(id), key: (event) => step(event, id) });
    drawings.set(id, drawing);
    return { node: drawing.node, update: (node) => drawing.update(node, site, { isChosen: id === chosen, isCurrent: id === current }) };
  }

  function focusOn(id) {
    current = id;
    refresh();
  }

  function pick(id) {
    chosen = id;
    current = id;
    choose(id);
    refresh();
    draw();
  }

  function refresh() {
    for (const node of site.nodes) drawings.get(node.id)?.mark(node.id === chosen, node.id === current);
  }

  function step(event, id) {
    const order = bySize().map((node) => node.id);
    const at = order.indexOf(id);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: order.length - 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") pick(id);
    else if (to === undefined) return;
    else drawings.get(order[Math.min(Math.max(to, 0), order.length - 1)])?.node.focus();
    event.preventDefault();
  }

  byId("share").addEventListener("input", () => {
    write("share-shown", `${byId("share").value} %`);
    draw();
  });
  new ResizeObserver(() => update(site)).observe(svg.parentElement);
  return { update, pick };
}
