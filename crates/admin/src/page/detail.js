// The selected cluster: its facts, where its links lead, the waiting links to it, and its commands.

const DETAIL_CLASSES_MOST = 10;

function leadsTo(list, noun) {
  const one = ({ cluster, fetches }) => `${cluster == null ? "an unknown target" : `${noun} ${cluster}`} (${count(fetches)})`;
  return list?.length ? `leads to ${list.map(one).join(", ")}` : "not followed yet";
}

function linkClassItem(nounNow) {
  const [pattern, share, place, leads] = ["strong.foreign", "span.num", "code.foreign", "span"].map((it) => make(it));
  return {
    node: make("li", {}, share, pattern, " ", leads, make("br"), place),
    update(link) {
      setText(pattern, link.pattern ?? "any address");
      setText(share, percent(link.share) + (link.refused ? ", refused" : ""));
      setText(leads, leadsTo(link.leads_to, nounNow()));
      setText(place, link.place);
    },
  };
}

/** Creates the list of the terms of a score, such as `worth 0.60`; some are numbers of clusters, or words. */
function termList() {
  const list = factList(make("dl.terms"));
  const spelt = (value) => (typeof value === "string" ? words(value) : Number.isInteger(value) ? count(value) : score(value));
  return { node: list.node, update: (terms) => list.update(Object.entries(terms ?? {}).map(([name, value]) => [words(name), spelt(value)])) };
}

function waitingItem() {
  const [pattern, waiting] = [make("strong.foreign"), make("span")];
  const terms = termList();
  const link = outLink();
  return {
    node: make("li", {}, pattern, " ", waiting, terms.node, link.node),
    update(row) {
      setText(pattern, row.pattern ?? "any address");
      setText(waiting, `${count(row.waiting)} waiting, score ${score(row.score)}${row.standing ? `, ${row.standing}` : ""}`);
      terms.update(row.terms);
      link.update(row.example);
    },
  };
}

/** Returns a list with a heading and a text that is shown while it is empty. */
function titled(title, list, none) {
  set(list, "data-none", none);
  return [make("h4", {}, title), list];
}

function detailPanel() {
  const panel = byId("detail");
  let [chosen, last, site] = [null, null, null];
  const title = make("h3.foreign", { id: "detail-name" });
  const pin = tellButton((button) => tell(last.pinned ? "unpin" : "pin", [targetOf(last, site)], button));
  const banned = tellButton((button) => banOrUnban(button));
  set(pin, "id", "pin");
  set(banned, "id", "ban");
  const facts = factList(make("dl.facts"));
  const examples = linkList();
  const [links, waiting] = [make("ul.plain.classes"), make("ul.plain.classes")];
  panel.append(title, make("div.bar", {}, pin, banned), facts.node, ...titled("Examples", examples.node, "None."),
    ...titled("Links on its pages", links, "None known."),
    ...titled("Waiting links that lead here", waiting, "None among the best waiting ones."));

  function banOrUnban(button) {
    const target = targetOf(last, site);
    if (last.banned) tell("unban", [target], button);
    else ban(target, site.kind === "forms" ? target : numbered(last, site), button);
  }

  function update(view) {
    site = view?.site ?? site;
    if (chosen === null || !site) return;
    const now = site.nodes?.find((node) => node.id === chosen);
    last = now ?? last;
    if (!last) return;
    const name = [numbered(last, site), shorten(nameOf(last, site), 80)].filter(Boolean).join(": ");
    setText(title, name[0].toUpperCase() + name.slice(1));
    setText(pin, last.pinned ? "Unpin" : "Pin as target");
    setText(banned, last.banned ? "Unban" : "Ban…");
    // Pages of before the templates are no cluster that links could lead to, and a command refuses their number.
    const canBeTold = site.kind === "forms" || last.id !== 0;
    [pin, banned].forEach((button) => show(button, canBeTold));
    facts.update([
      ["Pages", count(last.pages)],
      ["Worth", last.worth == null ? null : score(last.worth)],
      ["Status", [last.pinned && "pinned", last.banned && "banned", !now && "no longer on the map"].filter(Boolean).join(", ") || null],
      ["Title", last.title && shorten(last.title, 120)],
    ]);
    showLists(view.classes?.rows ?? []);
    show(byId("detail-none"), false);
    show(panel, true);
  }

  function showLists(rows) {
    const leading = rows.filter((row) => row.leads_to === last.id).slice(0, DETAIL_CLASSES_MOST);
    examples.update(last.examples ?? []);
    reconcile(links, last.links ?? [], (link) => `${link.place} ${link.pattern}`, () => linkClassItem(() => nounOf(site)));
    reconcile(waiting, leading, (row) => row.class, waitingItem);
  }

  return {
    update,
    choose(id, view) {
      chosen = id;
      last = null;
      set(panel, "data-chosen", id);
      update(view);
    },
  };
}
