// The layout of the site map: springs along links, repulsion between all nodes (Fruchterman and Reingold 1991). It is deterministic, so
// that the same map looks the same. Existing nodes stay near their places when new ones are added.

const GOLDEN_ANGLE = 2.399963;
const COOLING = 0.965;
const COLD = 0.01;
const GAP = 16;
// Links stay short even if there are few nodes.
const IDEAL_MOST = 150;
const GRAVITY = 0.3;
// The range of the repulsion, in ideal distances. It is limited because nodes without links would end up in a corner.
const REACH = 2.5;

function forceLayout() {
  const places = new Map();
  let [nodes, springs, width, height] = [[], [], 1, 1];
  let heat = 0;
  let shape = "";

  /** Sets the nodes `{ id, r }`, the links `{ from, to, share }` and the box; reheats the layout according to the changes. */
  function take(newNodes, links, newWidth, newHeight) {
    if (newWidth !== width || newHeight !== height) stretch(newWidth / width, newHeight / height);
    [width, height] = [newWidth, newHeight];
    const ids = new Set(newNodes.map((node) => node.id));
    for (const id of places.keys()) if (!ids.has(id)) places.delete(id);
    const isFirst = places.size === 0;
    newNodes.forEach((node, rank) => {
      if (!places.has(node.id)) places.set(node.id, isFirst ? spiral(rank, newNodes.length) : beside(node, links));
      places.get(node.id).r = node.r;
    });
    nodes = newNodes.map((node) => places.get(node.id));
    springs = links.filter((link) => link.from !== link.to && ids.has(link.from) && ids.has(link.to));
    const newShape = [...ids].sort((a, b) => a - b).join() + `|${Math.round(Math.log2(springs.length + 1) * 2)}`;
    if (newShape !== shape) heat = isFirst ? 1 : Math.max(heat, 0.3);
    else if (collides()) heat = Math.max(heat, 0.05);
    shape = newShape;
  }

  function stretch(x, y) {
    for (const place of places.values()) [place.x, place.y] = [place.x * x, place.y * y];
    if (places.size) heat = Math.max(heat, 0.2);
  }

  function spiral(rank, total) {
    const distance = Math.sqrt((rank + 0.5) / total) * 0.42;
    const angle = rank * GOLDEN_ANGLE;
    return { x: width * (0.5 + distance * Math.cos(angle)), y: height * (0.5 + distance * Math.sin(angle)), r: 1 };
  }

  /** Returns the start position of a new node: beside the nodes that it is linked with. */
  function beside({ id }, links) {
    const ends = links.flatMap(({ from, to }) => (from === id ? [to] : to === id ? [from] : []));
    const known = ends.map((end) => places.get(end)).filter(Boolean);
    const mean = (axis, middle) => (known.length ? known.reduce((sum, place) => sum + place[axis], 0) / known.length : middle);
    const angle = id * GOLDEN_ANGLE;
    return { x: mean("x", width / 2) + 40 * Math.cos(angle), y: mean("y", height / 2) + 40 * Math.sin(angle), r: 1 };
  }

  function collides() {
    return nodes.some((a, i) => nodes.slice(i + 1).some((b) => Math.hypot(a.x - b.x, a.y - b.y) < a.r + b.r));
  }

  function repel(ideal) {
    for (let i = 0; i < nodes.length; i += 1) {
      for (let j = i + 1; j < nodes.length; j += 1) {
        const [a, b] = [nodes[i], nodes[j]];
        const [dx, dy] = [a.x - b.x || 0.1 * (i - j), a.y - b.y || 0.1];
        const distance = Math.hypot(dx, dy);
        const free = Math.max(distance - a.r - b.r, 1);
        if (free > REACH * ideal) continue;
        const touching = Math.max(0, a.r + b.r + GAP - distance) * 2;
        push(a, b, dx / distance, dy / distance, Math.min((ideal * ideal) / free, ideal * 4) + touching);
      }
    }
  }

  function push(a, b, x, y, force) {
    a.fx += x * force;
    a.fy += y * force;
    b.fx -= x * force;
    b.fy -= y * force;
  }

  function attract(ideal) {
    for (const { from, to, share } of springs) {
      const [a, b] = [places.get(from), places.get(to)];
      const [dx, dy] = [a.x - b.x, a.y - b.y];
      const distance = Math.hypot(dx, dy) || 1;
      const free = Math.max(distance - a.r - b.r, 0);
      push(a, b, dx / distance, dy / distance, -((free * free) / ideal) * (0.1 + 0.9 * share));
    }
  }

  function move() {
    const most = Math.max(0.5, (heat * Math.min(width, height)) / 8);
    for (const node of nodes) {
      const length = Math.hypot(node.fx, node.fy) || 1;
      const step = Math.min(length * 0.2, most) / length;
      // The label is below its node.
      node.x = Math.min(Math.max(node.x + node.fx * step, node.r + 18), width - node.r - 18);
      node.y = Math.min(Math.max(node.y + node.fy * step, node.r + 8), height - node.r - 22);
    }
  }

  function step() {
    const ideal = Math.min(0.7 * Math.sqrt((width * height) / Math.max(nodes.length, 1)), IDEAL_MOST);
    // The pull is weaker along the longer side, so that the nodes fill it.
    const [pullX, pullY] = [GRAVITY * Math.min(1, height / width), GRAVITY * Math.min(1, width / height)];
    for (const node of nodes) [node.fx, node.fy] = [(width / 2 - node.x) * pullX, (height / 2 - node.y) * pullY];
    repel(ideal);
    attract(ideal);
    move();
    heat *= COOLING;
  }

  return {
    take,
    step,
    settle() {
      while (heat > COLD) step();
    },
    isSettled: () => heat <= COLD,
    at: (id) => places.get(id),
  };
}
