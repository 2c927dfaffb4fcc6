// Watches and uses a page, out of sight of its own scripts. Everything that is kept is bounded.
'use strict';
(() => {
  const [ELEMENTS_MAX, LINKS_MAX, TEXTS_MAX, CONTROLS_MAX, LOOKED_AT_MAX] = [2000, 20000, 50000, 300, 5000];
  const LABEL_MAX = 80;
  const NAMES_MAX = 300;
  const PATH_LENGTH = 6;
  // A text of this length stands for itself, also without a link.
  const TEXT_MIN = 20;
  const CLICKABLE = 'button, [role=button], [role=link], [role=tab], [role=menuitem], [onclick], a:not([href]), a[href^="#"], '
    + 'a[href^="javascript:"]';
  const STATE = /^(active|selected|current|open|opened|closed|show|shown|hover|focus|visited)$/;

  const bareUrl = () => location.href.split('#')[0];
  let changes = 0;
  // Once the page is used, what it removes is kept: lists drop what is out of view, tabs replace each other's content.
  let isUsed = false;
  let home = '';
  let urlBefore = '';
  const removed = [];
  const links = new Set();
  const texts = new Set();
  let words = 0;
  let ways = 0;
  const ids = new WeakMap();
  let nextId = 1;
  let controls = [];

  const holdsContent = (node) => node.nodeType === Node.ELEMENT_NODE && !node.matches('script, style')
    && (node.matches('a[href]') || node.querySelector('a[href]') || node.textContent.trim().length >= TEXT_MIN);
  new MutationObserver((list) => {
    changes += list.length;
    // What is removed while another URL is shown is content of that URL.
    if (isUsed && urlBefore === home) {
      for (const change of list) {
        for (const node of change.removedNodes) if (removed.length < ELEMENTS_MAX && holdsContent(node)) removed.push(node);
      }
    }
    urlBefore = bareUrl();
  }).observe(document, { subtree: true, childList: true, characterData: true });

  const use = () => {
    if (isUsed) return;
    isUsed = true;
    home = bareUrl();
    urlBefore = home;
  };

  const scroll = () => {
    use();
    let moved = false;
    const toEnd = (element) => {
      const before = element.scrollTop;
      element.scrollTop = element.scrollHeight;
      moved = moved || element.scrollTop > before;
    };
    if (document.scrollingElement) toEnd(document.scrollingElement);
    [...document.querySelectorAll('main, section, div, ul, ol')].slice(0, ELEMENTS_MAX)
      .filter((element) => element.clientHeight > 100 && element.scrollHeight > element.clientHeight + 1).forEach(toEnd);
    return moved;
  };

  const countContent = () => {
    for (const { href } of document.links) {
      if (links.size < LINKS_MAX && /^https?:/.test(href)) links.add(href.split('#')[0]);
    }
    const walker = document.createTreeWalker(document.body || document, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && texts.size < TEXTS_MAX; node = walker.nextNode()) {
      const text = node.data.trim();
      if (!text || texts.has(text) || (node.parentElement && node.parentElement.matches('script, style, noscript'))) continue;
      texts.add(text);
      words += text.split(/\s+/).length;
    }
  };

  const nameOf = (element) => {
    const names = (element.getAttribute('class') || '').replace(/\d+/g, '0').split(/\s+/);
    return [element.localName, ...names.filter((name) => name && !STATE.test(name)).sort()].join('.');
  };
  const pathOf = (element) => {
    const path = [];
    for (let at = element; at && path.length < PATH_LENGTH; at = at.parentElement) path.unshift(nameOf(at));
    return path.join('/');
  };
  const describe = (element) => {
    if (!ids.has(element)) {
      ids.set(element, nextId);
      nextId += 1;
    }
    const names = ['class', 'id', 'name', 'title', 'aria-label', 'data-action', 'data-testid', 'onclick', 'href']
      .map((name) => element.getAttribute(name) || '');
    const label = (element.innerText || element.textContent || '').trim() || element.getAttribute('aria-label') || '';
    return {
      id: ids.get(element), path: pathOf(element), label: label.slice(0, LABEL_MAX), names: names.join(' ').slice(0, NAMES_MAX),
    };
  };

  const isRealLink = (element) => !/^(#|javascript:)/i.test(element.getAttribute('href') || '#');
  // A link to a place of the page itself leads nowhere else.
  const isPlace = (element) => {
    const href = element.getAttribute('href') || '';
    if (!href.startsWith('#') || href === '#') return false;
    const name = decodeURIComponent(href.slice(1));
    return name === 'top' || document.getElementById(name) !== null || document.getElementsByName(name).length > 0;
  };
  const isUsable = (element) => {
    if (element.disabled || element.closest('form, [contenteditable], label, select, [aria-disabled=true]')) return false;
    const link = element.closest('a[href]');
    if (link && isRealLink(link)) return false;
    try {
      return !isPlace(element) && element.getClientRects().length > 0;
    } catch (error) {
      return false;
    }
  };
  // Elements that look clickable and say so by nothing else: the outermost ones, without a link or a button inside.
  const looksClickable = (element) => {
    const shows = (at) => getComputedStyle(at).cursor === 'pointer';
    return shows(element) && element.parentElement && !shows(element.parentElement)
      && !element.matches('a, button, label, input, select, textarea, summary')
      && !element.querySelector(`a[href], input, ${CLICKABLE}`);
  };
  const findControls = () => {
    if (!document.body) return [];
    const named = [...document.body.querySelectorAll(CLICKABLE)].slice(0, LOOKED_AT_MAX);
    const others = [...document.body.querySelectorAll('div, span, li, p, td, article, section, svg, i, b, em')]
      .slice(0, LOOKED_AT_MAX).filter(looksClickable);
    return [...new Set([...named, ...others])].filter(isUsable).slice(0, CONTROLS_MAX);
  };

  // Returns counts of all that the page has shown, and what can be clicked. `led` are URLs to which clicks led.
  const look = (led) => {
    use();
    countContent();
    for (const url of led) {
      const bare = url.split('#')[0];
      if (bare !== home && !links.has(bare) && links.size < LINKS_MAX) {
        links.add(bare);
        ways += 1;
      }
    }
    controls = findControls();
    return { url: location.href, links: links.size - ways, words, ways, controls: controls.map(describe) };
  };

  // Clicks as a reader does: some scripts wait for the pointer to come, others for the button to go down.
  const click = (index) => {
    const element = controls[index];
    if (!element || !element.isConnected) return false;
    const init = { bubbles: true, cancelable: true, composed: true, button: 0 };
    ['pointerover', 'pointerenter', 'pointerdown'].forEach((name) => element.dispatchEvent(new PointerEvent(name, init)));
    ['mouseover', 'mouseenter', 'mousedown'].forEach((name) => element.dispatchEvent(new MouseEvent(name, init)));
    element.dispatchEvent(new PointerEvent('pointerup', init));
    element.dispatchEvent(new MouseEvent('mouseup', init));
    if (typeof element.click === 'function') element.click();
    else element.dispatchEvent(new MouseEvent('click', init));
    return true;
  };

  let homeEntry = null;
  const entry = () => (globalThis.navigation && navigation.currentEntry ? navigation.currentEntry.index : null);
  // Remembers where the page is, before the first click.
  const stay = () => {
    if (homeEntry === null) homeEntry = entry();
    return true;
  };
  // Goes back to where the page was. Returns whether there is a way back.
  const back = () => {
    const at = entry();
    if (at === null || homeEntry === null || at <= homeEntry) return false;
    // What the fragment selected is content of this page.
    if (bareUrl() === home) countContent();
    history.go(homeEntry - at);
    return true;
  };

  // Returns what was removed and is not shown again, as HTML of bounded length.
  const removedHtml = (max) => {
    const shown = new Set();
    const listed = new Set();
    let html = '';
    for (const node of removed) {
      if (node.isConnected) continue;
      const name = nameOf(node);
      if (!listed.has(name)) {
        listed.add(name);
        const alike = [...document.getElementsByTagName(node.localName)].filter((other) => nameOf(other) === name);
        alike.slice(0, ELEMENTS_MAX).forEach((other) => shown.add(other.outerHTML));
      }
      const part = node.outerHTML;
      if (shown.has(part)) continue;
      if (html.length + part.length > max) break;
      shown.add(part);
      html += part;
    }
    return html;
  };

  globalThis.page = { changes: () => changes, scroll, look, click: (index) => stay() && click(index), back, removedHtml };
  return 0;
})();
