// The elements of the site map.

function arrowHead(id) {
  const size = { markerWidth: 8, markerHeight: 8, refX: 7, refY: 4, orient: "auto", markerUnits: "userSpaceOnUse" };
  return make("svg:marker", { id, ...size }, make("svg:path", { d: "M0 0L8 4L0 8Z" }));
}

function boxAround({ x, y, r }) {
  return { left: x - r, right: x + r, top: y - r, bottom: y + r };
}

function overlaps(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Returns the path of a link between clusters: straight, curved if there is a link in the other direction, or a loop. */
function edgePath(a, b, isDouble) {
  if (a === b) return `M${a.x - a.r * 0.5} ${a.y - a.r * 0.86}c${-a.r * 0.6 - 6} ${-a.r - 14} ${a.r * 1.6 + 6} ${-a.r - 14} ${a.r} 0`;
  const distance = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [ux, uy] = [(b.x - a.x) / distance, (b.y - a.y) / distance];
  const bend = isDouble ? Math.min(distance * 0.12, 18) : 0;
  const [startX, startY, endX, endY] = [a.x + ux * a.r, a.y + uy * a.r, b.x - ux * (b.r + 2), b.y - uy * (b.r + 2)];
  const [middleX, middleY] = [(startX + endX) / 2 - uy * bend, (startY + endY) / 2 + ux * bend];
  return `M${startX.toFixed(1)} ${startY.toFixed(1)}Q${middleX.toFixed(1)} ${middleY.toFixed(1)} ${endX.toFixed(1)} ${endY.toFixed(1)}`;
}

function edgeDrawing(layout, chosen) {
  const title = make("svg:title");
  const node = make("svg:path.edge", {}, title);
  return {
    node,
    update({ from, to, share, fetches, isDouble }) {
      const isChosen = from === chosen() || to === chosen();
      set(node, "d", edgePath(layout.at(from), layout.at(to), isDouble));
      set(node, "stroke-width", (0.75 + 5 * share).toFixed(2));
      set(node, "data-chosen", isChosen);
      set(node, "marker-end", `url(#${isChosen ? "arrow-chosen" : "arrow"})`);
      setText(title, `${from} → ${to}: ${percent(share)} of the followed links${fetches ? ` (${count(fetches)})` : ""}`);
    },
  };
}

const STAR = "M0-6L1.6-2H6L2.5 1 4 5.5 0 3-4 5.5-2.5 1-6-2H-1.6Z";
const CROSS = "M-4-4L4 4M4-4L-4 4";

function clusterDrawing({ choose, focus, key }) {
  const title = make("svg:title");
  const halo = make("svg:circle.halo");
  // The clickable area is never too small for a finger.
  const target = make("svg:circle.target");
  const disc = make("svg:circle.disc");
  const mark = make("svg:path.mark");
  const [number, label] = [make("svg:text.id"), make("svg:text.label")];
  const node = make("svg:g.node", { role: "button", onclick: choose, onfocus: focus, onkeydown: key }, title, halo, target, disc, mark, number, label);

  function update(cluster, site, { isChosen, isCurrent }) {
    const rgb = cluster.worth == null ? null : colour(cluster.worth);
    set(node, "data-cluster", cluster.number ?? cluster.id);
    set(node, "aria-label", nodeLabel(cluster, site));
    setText(title, nodeLabel(cluster, site));
    set(halo, "r", cluster.r + 4);
    set(target, "r", Math.max(cluster.r, 13));
    set(disc, "r", cluster.r);
    set(disc, "fill", rgb && `rgb(${rgb})`);
    set(disc, "data-plain", !rgb);
    set(node, "data-banned", cluster.banned);
    setText(number, cluster.r >= 9 && site.kind !== "forms" ? `${cluster.id} ` : "");
    number.style.fill = rgb ? inkOn(rgb) : "";
    set(mark, "d", (cluster.pinned ? STAR : "") + (cluster.banned ? CROSS : ""));
    setText(label, shorten(nameOf(cluster, site), LABEL_MOST));
    markAs(isChosen, isCurrent);
  }

  function markAs(isChosen, isCurrent) {
    set(node, "aria-pressed", String(isChosen));
    set(node, "tabindex", isCurrent ? 0 : -1);
  }

  /** Moves it; hides its label if it would cover something. */
  function place({ x, y, r }, taken) {
    set(node, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    set(label, "y", (r + 13).toFixed(1));
    set(mark, "transform", `translate(${r.toFixed(1)} ${(-r).toFixed(1)})`);
    const half = (label.textContent.length * LABEL_PIXELS) / 2;
    const box = { left: x - half, right: x + half, top: y + r + 2, bottom: y + r + 16 };
    const width = node.ownerSVGElement.viewBox.baseVal.width;
    const fits = half > 0 && box.left > 0 && box.right < width && !taken.some((other) => overlaps(box, other));
    if (fits) taken.push(box);
    set(label, "visibility", fits ? null : "hidden");
  }

  return { node, update, mark: markAs, place };
}

/** Shows the colour scale and the symbols of nodes that are not on it. */
function showLegend(site) {
  const legend = byId("legend");
  const isJudged = site.nodes.some((node) => node.worth != null);
  const shape = `${site.kind} ${isJudged}`;
  if (legend.dataset.shape === shape) return;
  legend.dataset.shape = shape;
  const step = (_, at) => {
    const node = make("span.step");
    node.style.background = `rgb(${colour(at / 10)})`;
    return node;
  };
  const swatch = (name, text) => [make(`span.swatch.${name}`, { "aria-hidden": "true" }), make("span", {}, text)];
  const scale = ["worth 0", make("span.scale", { "aria-hidden": "true" }, ...Array.from({ length: 11 }, step)), "1"];
  const others = { clusters: swatch("plain", "no score"), kinds: [...swatch("plain", "followed"), ...swatch("refused", "refused")] };
  legend.replaceChildren(...(isJudged ? scale : []), ...(others[site.kind] ?? []), make("span", {}, "★ pinned"), make("span", {}, "✕ banned"));
}
