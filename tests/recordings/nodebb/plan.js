'use strict';
// Plans the content and opens the software (APP, SITE_HOME, SEED, SCALE); populate.js carries the plan out.
const fs = require('fs');
const path = require('path');
const { promisify } = require('util');
const content = require('./content');
const themes = require('./topics');

const app = process.env.APP;
const need = (m) => require(path.join(app, m));
const nconf = need('node_modules/nconf');
need('node_modules/winston').level = 'error';
nconf.file({ file: path.join(app, 'config.json') });
nconf.defaults({ base_dir: app, themes_path: path.join(app, 'node_modules'), views_dir: path.join(app, 'public/templates'),
	upload_path: '/public/uploads', relative_path: '', isPrimary: 'true', isCluster: 'false', version: '1.4.0' });
nconf.set('base_url', nconf.get('url'));

const SCALE = parseFloat(process.env.SCALE || '1');
const DAY = 86400e3;
const END = Date.parse((process.env.END_DATE || '2026-11-20') + 'T12:00:00Z');   // of the last posts; fixed, so that a run can be repeated
const SPAN = 900 * DAY;
const START = END - SPAN;
const r = content.rng(parseInt(process.env.SEED || '1', 10));
const call = (o, f) => promisify(o[f].bind(o));

// Chapters too small for a category of their own go to the general one; two are below another category.
function readChapters() {
	const all = JSON.parse(fs.readFileSync(path.join(process.env.SITE_HOME, 'text.json'), 'utf8')).chapters;
	all.forEach((c) => {
		c.words = c.blocks.reduce((n, b) => n + content.words(b), 0);
		c.titles = c.titles.map((t) => t.replace(/^(Ejemplo|Figura|Tabla) [\d.]+\s*/, '')).filter((t) => /^[A-ZÁÉÍÓÚ¿¡]/.test(t) && t.length > 7);
	});
	const about = all.filter((c) => /^(Prólogo|Prefacio|Conclusión)/.test(c.title));
	const small = all.filter((c) => c.words < 2500 && about.indexOf(c) < 0);
	const big = all.filter((c) => c.words >= 2500 && about.indexOf(c) < 0);
	const general = { title: 'General', description: '', words: 0, blocks: [], titles: [], code: [] };
	small.forEach((c) => {
		general.words += c.words;
		['blocks', 'titles', 'code'].forEach((k) => { general[k] = general[k].concat(c[k]); });
	});
	const chapters = [general].concat(big);
	chapters.forEach((c) => {
		const at = c.title.search(/: |, /);
		c.name = at > 0 ? c.title.slice(0, at) : c.title;
		c.description = at > 0 ? c.title.slice(at + 2) : c.blocks.length ? content.sentences(c.blocks[0])[0].slice(0, 200) : '';
	});
	return { chapters: chapters, about: new content.Stream([].concat.apply([], about.map((c) => c.blocks))) };
}

// All posts of the forum in the order of their time.
function plan(chapters, people) {
	const total = chapters.reduce((n, c) => n + c.words, 0);
	const events = [];
	const topics = [];
	chapters.forEach((c, ci) => {
		const count = Math.max(3, Math.round(600 * SCALE * c.words / total));
		content.threads(r, SCALE < 1 ? Object.assign({}, c, { words: c.words * SCALE }) : c, count, 1.35).forEach((t) => {
			t.chapter = ci;
			topics.push(t);
			let at = START + Math.pow(r.next(), 0.75) * SPAN * 0.99;
			t.posts.forEach((text, i) => {
				events.push({ topic: t, text: text, main: i === 0, at: Math.round(at) });
				at = Math.min(END, at + 60e3 + r.exp(r.chance(0.1) ? 20 * DAY : 0.6 * DAY));
			});
		});
	});
	const uses = {};
	topics.forEach((t) => t.tags.forEach((w) => { uses[w] = (uses[w] || 0) + 1; }));
	topics.forEach((t) => {
		const commands = Array.from(new Set(t.tags)).filter((w) => uses[w] > 1 || r.chance(0.15)).slice(0, 1 + r.int(4));
		const called = themes.tagsOf([t.title].concat(t.posts).join(' ')).slice(0, 1 + r.int(3));
		t.tags = Array.from(new Set(called.concat(commands))).slice(0, 5);
		if (r.chance(0.3)) { t.tags = []; }
	});
	topics.forEach((t) => { t.themes = themes.themesOf(t.tags); });
	themes.chooseInterests(r, people);
	events.sort((a, b) => a.at - b.at);
	events.forEach((e) => {
		const here = e.topic.people = e.topic.people || [];
		if (here.length && !e.main && r.chance(0.35)) {
			e.user = r.pick(here);
		} else {
			e.user = people[r.weighted(people.map((p) => (p.joined <= e.at ? p.weight * themes.affinity(p, e.topic.themes) : 0)))];
		}
		here.push(e.user);
	});
	return events;
}

const SEE = ['Véase también', 'Ya se habló de esto en', 'Más en', 'Relacionado:', 'Esto continúa lo dicho en', 'Otro hilo:'];
const DONE = [];        // topics already posted: {tid, slug, title, cid, posts: [{pid, uid, name, text}]}

// Quotes, mentions and links, as members make them with the editor.
function decorate(e) {
	let text = e.text;
	const t = e.topic.made;
	let toPid;
	if (t && t.posts.length && r.chance(0.35)) {
		const p = r.pick(t.posts.slice(-6));
		toPid = p.pid;
		if (r.chance(0.45)) {
			const said = content.sentences(p.text.split('\n')[0])[0];
			text = '@' + p.slug + ' ha dicho en [' + t.title.replace(/[\[\]]/g, '') + '](/post/' + p.pid + '):\n> ' + said + '\n\n' + text;
		} else if (r.chance(0.4)) {
			text = '@' + p.slug + ' ' + text;
		}
	}
	if (DONE.length > 20 && r.chance(0.12)) {
		const o = r.pick(r.chance(0.6) ? DONE.filter((x) => x.cid === e.cid).concat(DONE.slice(-1)) : DONE);
		const where = r.chance(0.5) ? '/topic/' + o.slug : r.chance(0.5) ? '/post/' + r.pick(o.posts).pid : '/topic/' + o.tid;
		text += '\n\n' + r.pick(SEE) + ' [' + o.title.replace(/[\[\]]/g, '') + '](' + where + ').';
	}
	return { text: text, toPid: toPid };
}

module.exports = { need: need, call: call, r: r, END: END, START: START, SPAN: SPAN, DAY: DAY, SCALE: SCALE,
	readChapters: readChapters, plan: plan, decorate: decorate, DONE: DONE };

