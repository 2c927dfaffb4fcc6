"use strict";
// Builds and changes the document. All text comes from strangers: it becomes text, never markup.

const SVG_SPACE = "http://www.w3.org/2000/svg";

function byId(id) {
  return document.getElementById(id);
}

/** An element: `make("td.num", { title: "…" }, "text", child)`; `svg:path` for one of a drawing. */
function make(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = tag.startsWith("svg:") ? document.createElementNS(SVG_SPACE, tag.slice(4)) : document.createElement(tag);
  if (classes.length) node.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else set(node, key, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

/** Writes text only where it changes, so that what is selected stays selected. */
function setText(node, text) {
  const wanted = visible(text);
  if (node.textContent !== wanted) node.textContent = wanted;
}

/** Writes text into the element that has this id. */
function write(id, text) {
  setText(byId(id), text);
}

/** Null or false takes the attribute away; true makes it empty. */
function set(node, name, value) {
  if (value == null || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const wanted = value === true ? "" : String(value);
  if (node.getAttribute(name) !== wanted) node.setAttribute(name, wanted);
}

function show(node, shown) {
  if (node.hidden === shown) node.hidden = !shown;
}

/** Characters that turn the text around them, or that cannot be seen, are written out. */
function visible(text) {
  const escape = (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
  return String(text ?? "").replace(/[\t\n\r]+/g, " ").replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, escape);
}

/** A link that leads out where the address is one of the web, else the plain text. */
function outLink() {
  const node = make("a.foreign", { rel: "noopener noreferrer", target: "_blank" });
  return {
    node,
    update(url) {
      const leads = /^https?:\/\//i.test(url ?? "");
      set(node, "href", leads ? url : null);
      set(node, "title", visible(url));
      setText(node, url);
    },
  };
}

const entriesOf = new WeakMap();

/**
 * Makes the children of `parent` those of `items`, in their order. What was there before under the same key is changed and not made
 * anew: it keeps focus, selection and what is unfolded. `build` gives `{ node, update(item) }`.
 */
function reconcile(parent, items, keyOf, build) {
  const before = entriesOf.get(parent) ?? new Map();
  const now = new Map();
  for (const item of items ?? []) {
    let key = String(keyOf(item));
    while (now.has(key)) key += "+";
    const entry = before.get(key) ?? build(item);
    entry.update(item);
    now.set(key, entry);
  }
  const held = heldChild(parent);
  for (const [key, entry] of before) {
    if (now.has(key)) continue;
    // Somebody is reading it, or is about to press something in it.
    if (entry.node === held) now.set(key, entry);
    else entry.node.remove();
  }
  entriesOf.set(parent, now);
  arrange(parent, [...now.values()].map((entry) => entry.node), held);
}

/** The child in which the focus or a selection is. */
function heldChild(parent) {
  const selection = document.getSelection();
  const inside = [document.activeElement, selection.isCollapsed ? null : selection.anchorNode];
  return [...parent.children].find((child) => inside.some((node) => node && child.contains(node)));
}

/** Puts the nodes into this order without ever moving `held`: what is moved loses the focus. */
function arrange(parent, nodes, held) {
  let cursor = parent.firstChild;
  for (const node of nodes) {
    if (node === held) {
      while (cursor !== held) {
        const next = cursor.nextSibling;
        parent.append(cursor);
        cursor = next;
      }
    }
    if (node === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(node, cursor);
  }
}

/** A list of addresses, kept by `update(urls)`. */
function linkList() {
  const node = make("ul.plain.links");
  const build = () => {
    const link = outLink();
    return { node: make("li", {}, link.node), update: link.update };
  };
  return { node, update: (urls) => reconcile(node, urls, (url) => url, build) };
}

/** Names with values. `update([[name, value], …])`; what is null is left out. */
function factList(node) {
  const build = () => {
    const term = make("dt");
    const value = make("dd");
    return {
      node: make("div", {}, term, value),
      update([name, text]) {
        setText(term, name);
        setText(value, text);
      },
    };
  };
  return { node, update: (facts) => reconcile(node, facts.filter(([, text]) => text != null), ([name]) => name, build) };
}
