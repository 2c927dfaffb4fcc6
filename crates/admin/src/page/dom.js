"use strict";
// Builds and updates the document. All text is untrusted: it is inserted as text, never as markup.

const SVG_SPACE = "http://www.w3.org/2000/svg";

function byId(id) {
  return document.getElementById(id);
}

/** Creates an element: `make("td.num", { title: "…" }, "text", child)`; `svg:path` creates an SVG element. */
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

/** Sets the text only if it changes, so that a selection is preserved. */
function setText(node, text) {
  const wanted = visible(text);
  if (node.textContent !== wanted) node.textContent = wanted;
}

/** Sets the text of the element with this id. */
function write(id, text) {
  setText(byId(id), text);
}

/** Sets an attribute. Null or false removes it; true makes it empty. */
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

/** Escapes control characters and characters that change the direction of text. */
function visible(text) {
  const escape = (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
  return String(text ?? "").replace(/[\t\n\r]+/g, " ").replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, escape);
}

/** Creates an external link if the address is an HTTP address, otherwise plain text. */
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

// Makes the children of `parent` match `items`, in their order. An existing child with the same key is updated and not recreated, so
// that it retains focus, selection and expanded elements. `build` returns `{ node, update(item) }`.
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
    // The user is reading it or about to press something in it.
    if (entry.node === held) now.set(key, entry);
    else entry.node.remove();
  }
  entriesOf.set(parent, now);
  arrange(parent, [...now.values()].map((entry) => entry.node), held);
}

/** Returns the child that contains the focus or a selection. */
function heldChild(parent) {
  const selection = document.getSelection();
  const inside = [document.activeElement, selection.isCollapsed ? null : selection.anchorNode];
  return [...parent.children].find((child) => inside.some((node) => node && child.contains(node)));
}

/** Arranges the nodes in this order without ever moving `held`, because a moved node loses the focus. */
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

/** Creates a list of addresses, which `update(urls)` sets. */
function linkList() {
  const node = make("ul.plain.links");
  const build = () => {
    const link = outLink();
    return { node: make("li", {}, link.node), update: link.update };
  };
  return { node, update: (urls) => reconcile(node, urls, (url) => url, build) };
}

/** Creates a list of names with values, which `update([[name, value], …])` sets; null values are omitted. */
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
