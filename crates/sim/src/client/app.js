// Builds the pages of the simulated site in the browser: their HTML is an empty shell. Plain ES2017 without libraries.
'use strict';
(() => {
  const ATTEMPTS = 3;
  const app = document.getElementById('app');
  let shownPath = '';

  // Creates an element; children that are strings become text.
  const create = (name, attributes, ...children) => {
    const element = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    element.append(...children);
    return element;
  };
  const link = (url, label, kind) => create('a', { href: url, class: kind }, label);
  const control = (name, attributes, label, use) => {
    const element = create(name, attributes, label);
    element.addEventListener('click', (event) => {
      event.preventDefault();
      Promise.resolve(use(element)).catch(report);
    });
    return element;
  };
  const report = (error) => app.append(create('p', { class: 'error' }, String(error)));

  // Requests JSON by `send`, again after errors of the server.
  const withRetries = async (send, path) => {
    for (let attempt = 1; ; attempt += 1) {
      const { status, value } = await send(path);
      if (status === 200) return value;
      if (status < 500 || attempt === ATTEMPTS) throw new Error(`${path} answered ${status}`);
    }
  };
  const sendFetch = async (path) => {
    const answer = await fetch(path, { headers: { Accept: 'application/json' } });
    return { status: answer.status, value: answer.ok ? await answer.json() : null };
  };
  const sendXhr = (path) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', path);
    request.responseType = 'json';
    request.onload = () => resolve({ status: request.status, value: request.response });
    request.onerror = () => reject(new Error(`${path} failed`));
    request.send();
  });
  const byFetch = (path) => withRetries(sendFetch, path);
  const byXhr = (path) => withRetries(sendXhr, path);

  // Sends a request that changes something, as a reader would by a click.
  const act = async (element, path) => {
    const answer = await fetch(path, { method: 'POST' });
    element.textContent = answer.ok ? 'Done' : 'Failed';
  };

  const navigation = () => create('nav', {},
    link('/', 'Home', 'home'), ' ', link('/help', 'Help', 'help'), ' ',
    link('/about', 'About', 'about'), ' ', link('/rules', 'Rules', 'rules'), ' ',
    control('button', { type: 'button', class: 'log-out' }, 'Log out', (button) => act(button, '/api/log-out')));
  const heading = (main, title) => {
    document.title = title;
    main.prepend(create('h1', {}, title));
  };

  const threadRow = (thread) => {
    const row = create('li', { class: 'row' }, link(thread.url, thread.title, 'title'));
    if (thread.author) row.append(' by ', link(thread.author.url, thread.author.name, 'author'));
    return row;
  };
  const postElement = (post) => {
    const element = create('article', { class: 'post', id: post.id });
    if (post.author) element.append(link(post.author.url, post.author.name, 'author'));
    if (post.thread) element.append(link(post.thread.url, post.thread.title, 'title'));
    element.append(create('p', { class: 'text' }, post.text));
    if (post.actions) {
      element.append(
        control('button', { type: 'button', class: 'vote' }, 'Vote', (button) => act(button, post.actions.vote)),
        control('a', { href: '#', class: 'delete', role: 'button' }, 'Delete', (a) => act(a, post.actions.delete)));
    }
    return element;
  };

  const showHome = async (main) => {
    const { title, forums, collections } = await byFetch('/api/home');
    heading(main, title);
    main.append(create('ul', { class: 'forums' }, ...forums.map((forum) => create('li', {}, link(forum.url, forum.title, 'forum')))));
    collections.forEach(({ id, title: label }) => {
      const open = () => {
        history.pushState({}, '', `/c/${id}`);
        show();
      };
      main.append(control('div', { role: 'link', tabindex: '0', class: 'collection', 'data-collection': id }, label, open));
    });
  };

  const showCollection = async (main, id) => {
    const { title, text, threads } = await byFetch(`/api/collection/${id}`);
    heading(main, title);
    main.append(create('p', { class: 'intro' }, text), create('ul', { class: 'threads' }, ...threads.map(threadRow)));
  };

  // The first page of the list is loaded at once, each further one when the end of the list becomes visible.
  const showForum = async (main, id) => {
    const list = create('ol', { class: 'threads' });
    const end = create('div', { class: 'end' }, 'Loading');
    main.append(list, end);
    let [page, pages] = [0, 1];
    const loadNext = async () => {
      const answer = await byXhr(`/api/forum/${id}/threads?page=${page + 1}`);
      if (page === 0) heading(main, answer.title);
      [page, pages] = [answer.page, answer.pages];
      list.append(...answer.threads.map(threadRow));
      if (page >= pages) end.remove();
    };
    await loadNext();
    const observer = new IntersectionObserver((entries) => {
      if (page >= pages || !entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      loadNext().then(() => observer.observe(end)).catch(report);
    });
    if (page < pages) observer.observe(end);
  };

  // The first posts are loaded at once, further ones by the button.
  const showThread = async (main, id) => {
    const list = create('section', { class: 'posts' });
    main.append(list);
    let cursor = '0';
    const load = async () => {
      const answer = await byXhr(`/api/thread/${id}/posts?after=${cursor}&_=${Date.now()}`);
      if (cursor === '0') {
        heading(main, answer.title);
        list.before(link(answer.forum.url, answer.forum.title, 'forum'));
      }
      list.append(...answer.posts.map(postElement));
      cursor = answer.next;
    };
    await load();
    if (cursor === null) return;
    let loading = false;
    main.append(control('button', { type: 'button', class: 'more' }, 'Load more posts', async (button) => {
      if (loading) return;
      loading = true;
      await load();
      loading = false;
      if (cursor === null) button.remove();
    }));
  };

  const showUser = async (main) => {
    const { id, name } = window.__STATE__.user;
    heading(main, name);
    const panel = create('section', { class: 'panel' });
    const showPosts = async () => {
      const { posts } = await byFetch(`/api/user/${id}/posts`);
      panel.textContent = '';
      panel.append(...posts.map(postElement));
    };
    const showTopics = async () => {
      const { html } = await byFetch(`/api/user/${id}/topics`);
      panel.innerHTML = html;
    };
    main.append(
      create('div', { class: 'tabs' },
        control('a', { href: '#', class: 'tab', 'data-tab': 'posts' }, 'Posts', showPosts), ' ',
        control('a', { href: '#', class: 'tab', 'data-tab': 'topics' }, 'Topics', showTopics)),
      panel);
    await showPosts();
    // The page is complete without this answer.
    byFetch('/api/private/me').then((me) => main.append(create('p', { class: 'me' }, `Signed in as ${me.name}`))).catch(() => {});
  };

  const showHelp = async (main) => {
    const topic = /^#\/topic\/(\d+)$/.exec(location.hash);
    if (topic) {
      const { post, title } = await byFetch(`/api/help/${topic[1]}`);
      heading(main, title);
      main.append(postElement(post));
      return;
    }
    const { title, topics } = await byFetch('/api/help');
    heading(main, title);
    main.append(create('ul', {}, ...topics.map(({ id, title: label }) => create('li', {}, link(`#/topic/${id}`, label, 'topic')))));
  };

  const builders = { '': showHome, c: showCollection, f: showForum, t: showThread, u: showUser, help: showHelp };
  const show = () => {
    shownPath = location.pathname;
    const [kind, id] = shownPath.split('/').slice(1);
    const main = create('main', {});
    app.textContent = '';
    app.append(navigation(), main);
    builders[kind](main, id).catch(report);
  };
  window.addEventListener('popstate', () => location.pathname !== shownPath && show());
  window.addEventListener('hashchange', show);
  show();
})();
