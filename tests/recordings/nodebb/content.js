'use strict';
// What is to be said on the forum, by whom and when: a plan made from the text and the seed, without the database.

function rng(seed) {                       // mulberry32: small and the same everywhere
	let a = seed >>> 0;
	const next = function () {
		a = (a + 0x6D2B79F5) >>> 0;
		let t = a;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
	const r = {
		next: next,
		int: (n) => Math.floor(next() * n),
		chance: (p) => next() < p,
		pick: (l) => l[Math.floor(next() * l.length)],
		normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
		exp: (mean) => -mean * Math.log(1 - next()),
		pareto: (alpha) => Math.pow(1 - next(), -1 / alpha),
		weighted: function (weights) {
			let x = next() * weights.reduce((s, w) => s + w, 0);
			let i = 0;
			while (i < weights.length - 1 && (x -= weights[i]) > 0) { i += 1; }
			return i;
		},
		shuffle: function (l) {
			for (let i = l.length - 1; i > 0; i--) {
				const j = r.int(i + 1);
				const t = l[i]; l[i] = l[j]; l[j] = t;
			}
			return l;
		},
	};
	return r;
}

const words = (s) => s.split(/\s+/).length;
const sentences = (s) => s.replace(/([^\s.][.!?…:])\s+(?=[A-ZÁÉÍÓÚ¿¡«`*])/g, '$1\u0001').split('\u0001').filter(Boolean);

// Gives pieces of a chapter's text one after the other; each piece only once.
function Stream(blocks) {
	const queue = blocks.map(sentences);
	this.take = function (n) {
		const paragraphs = [];
		let got = 0;
		while (queue.length && (got < 5 || got + words(queue[0][0]) / 2 <= n)) {
			const part = [];
			while (queue[0].length && (got < 5 || got + words(queue[0][0]) / 2 <= n)) {
				const s = queue[0].shift();
				part.push(s);
				got += words(s);
			}
			paragraphs.push(part.join(' '));
			if (!queue[0].length) { queue.shift(); }
		}
		return paragraphs.join('\n\n');
	};
	this.empty = () => !queue.length;
}

const FIRST = ('Ana Luis Marta Jorge Lucia Pablo Carmen Diego Elena Raul Sofia Ivan Laura Hugo Irene Oscar Nuria Javi Rosa Andres ' +
	'Clara Tomas Silvia Ruben Paula Mario Eva Sergio Ines Victor Julia Felipe Alba Ramon Teresa Bruno Noelia Cesar Gloria Adrian').split(' ');
const LAST = ('Vega Soler Rios Campos Leon Prieto Marin Cano Rubio Molina Serra Vidal Ortega Nieto Pardo Lara Mora Gil Bravo Reyes ' +
	'Luna Santos Ibarra Duran Aguilar').split(' ');
const PLACES = ('Sevilla,Bogotá,Valencia,Montevideo,Bilbao,Rosario,Ciudad de México,Zaragoza,Quito,Granada,Lima,Santiago,' +
	'Málaga,La Paz,Córdoba,A Coruña,San José,Murcia').split(',');

function users(r, n, start, span, about) {
	const taken = {};
	const out = [];
	while (out.length < n) {
		const f = r.pick(FIRST);
		const l = r.pick(LAST);
		const name = r.pick([f + ' ' + l, f.toLowerCase() + l.toLowerCase(), f + l[0], f.toLowerCase() + '_' + l.toLowerCase(),
			l + (70 + r.int(40)), f[0] + '. ' + l, f + (1 + r.int(99))]);
		const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
		if (taken[slug]) { continue; }
		taken[slug] = true;
		const early = out.length < n / 8;
		const joined = early ? start - r.next() * 30 * 86400e3 : start + Math.pow(r.next(), 1.3) * span;
		out.push({
			name: name,
			fullname: r.chance(0.3) ? f + ' ' + l : '',
			joined: Math.round(joined),
			weight: r.chance(0.15) ? 0 : Math.min(30, r.pareto(1.1)),
			about: r.chance(0.4) && !about.empty() ? about.take(5 + r.int(50)).replace(/[*`]|\]\([^)]*\)|\[/g, '').slice(0, 990) : '',
			signature: r.chance(0.15) && !about.empty() ? about.take(6).replace(/[*`]|\]\([^)]*\)|\[/g, '').slice(0, 250) : '',
			location: r.chance(0.35) ? r.pick(PLACES) : '',
			website: r.chance(0.15) ? 'https://' + slug.replace(/-+$/, '') + '.example.org/' : '',
		});
	}
	return out;
}

// The threads of one chapter: titles, sizes, texts.
function threads(r, chapter, count, meanPosts) {
	const sizes = [];
	for (let i = 0; i < count; i++) {
		sizes.push(Math.max(1, Math.min(45, Math.floor(r.pareto(1.15) * meanPosts * 0.42 + r.next()))));
	}
	const total = sizes.reduce((a, b) => a + b, 0);
	const mean = chapter.words * 0.97 / total;
	const stream = new Stream(chapter.blocks);
	const titles = r.shuffle(chapter.titles.slice());
	const code = chapter.code.slice();
	const out = [];
	for (let i = 0; i < count && !stream.empty(); i++) {
		const t = { title: titles.pop() || stream.take(8).replace(/[*`]/g, '').slice(0, 120), posts: [], tags: [] };
		for (let p = 0; p < sizes[i] && !stream.empty(); p++) {
			const n = Math.max(5, Math.min(280, mean * 0.72 * Math.exp(0.8 * r.normal())));
			let text = stream.take(n);
			if (code.length && r.chance(0.12)) {
				text += '\n\n```\n' + code.shift().split('\n').slice(0, 14).join('\n') + '\n```';
			}
			text.replace(/`([a-z][a-z0-9+-]{2,14})`/g, (m, w) => t.tags.push(w));
			if (text.replace(/<[^>]*>/g, '').length > 12) { t.posts.push(text); }
		}
		if (t.title.length > 3 && t.posts.length) { out.push(t); }
	}
	return out;
}

module.exports = { rng: rng, Stream: Stream, users: users, threads: threads, words: words, sentences: sentences };
