// The commands in force, with buttons to undo them.

function forceList(title, name, back) {
  const list = make("ul.plain");
  const group = make("div", {}, make("h3", {}, title), list);
  const build = () => {
    let target = "";
    const text = make("code.foreign");
    const button = back && tellButton(() => tell(back, [target], button));
    return {
      node: make("li", {}, text, " ", button),
      update(newTarget) {
        target = newTarget;
        setText(text, target);
        if (!button) return;
        setText(button, back[0].toUpperCase() + back.slice(1));
        set(button, "aria-label", `${button.textContent} ${visible(target)}`);
      },
    };
  };
  byId("force").append(group);
  return (targets = []) => {
    set(list, "data-force", name);
    show(group, targets.length > 0);
    reconcile(list, targets, (target) => target, build);
  };
}

const nothingInForce = make("p.hint", {}, "Only the configuration: nothing was set, banned, pinned or blocked.");
byId("force").append(nothingInForce);
const forceLists = {
  set: forceList("Set", "set", null),
  banned: forceList("Banned", "banned", "unban"),
  pinned: forceList("Pinned", "pinned", "unpin"),
  blocked: forceList("Blocked hosts", "blocked", "unblock"),
  traps: forceList("Traps found", "traps", null),
  found: forceList("Sites that searches found", "found", null),
  left: forceList("Sites left for their low yield", "left", null),
};

const siteText = ({ site, wanted, requests }) => `${site} ${count(wanted)} wanted of ${plural(requests, "request")}`;

function showForce({ in_force: held = {}, traps = [], searches } = {}) {
  const sites = searches?.sites ?? [];
  const lists = {
    set: Object.entries(held.set ?? {}).map(([name, value]) => `${name}=${value}`),
    banned: held.banned ?? [],
    pinned: held.pinned ?? [],
    blocked: held.blocked ?? [],
    traps: traps.map((trap) => `${trap.form} ${words(trap.measure)}, ${count(trap.refused)} refused`),
    found: sites.filter((site) => !site.left).map(siteText),
    left: sites.filter((site) => site.left).map(siteText),
  };
  for (const [name, targets] of Object.entries(lists)) forceLists[name](targets);
  show(nothingInForce, Object.values(lists).every((targets) => targets.length === 0));
}

function setUpForce() {
  byId("form-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const target = byId("form-value").value.trim();
    const button = event.submitter;
    // Enter in the field triggers the harmless command of the two.
    if (button?.value === "ban") ban(target, target, button);
    else tell("pin", [target], button);
  });
}
