'use strict';
// Fills the forum through the software's own modules, in the order of the planned time.
const p = require('./plan');
const content = require('./content');

const r = p.r;
const need = p.need;
const db = need('src/database');
const GROUPS = [['Traductores', 'Quienes traducen la documentación y los programas.'], ['Empaquetadores', 'Mantenimiento de paquetes.'],
	['Redes', 'Administración de redes y cortafuegos.'], ['Seguridad', 'Avisos y auditorías.'], ['Principiantes', ''],
	['Servidores', 'Correo, web, ficheros e impresión.'], ['Escritorio', 'GNOME, KDE Plasma y demás.']];

async function makeUsers(people) {
	const User = need('src/user');
	const slugify = need('public/src/utils').slugify;
	for (const u of people) {
		u.uid = await p.call(User, 'create')({ username: u.name, fullname: u.fullname, timestamp: u.joined });
		u.slug = slugify(u.name);
		const set = { picture: '' };
		if (u.about) { set.aboutme = u.about; }
		if (u.signature) { set.signature = u.signature; }
		if (u.location) { set.location = u.location; }
		if (u.website) { set.website = u.website; }
		await p.call(User, 'setUserFields')(u.uid, set);
	}
}

async function makeCategories(chapters) {
	const Categories = need('src/categories');
	const Privileges = need('src/privileges');
	for (const cid of [1, 2, 3, 4]) {                // those of a new installation, with the welcome topic
		await p.call(Categories, 'purge')(cid, 1);
	}
	const make = (o) => p.call(Categories, 'create')(o);
	for (const c of chapters) {
		const parent = /^(Mantenimiento|Creación)/.test(c.name) ? chapters.find((x) => /^Sistema de paquetes/.test(x.name)) :
			/^Servicios de red/.test(c.name) ? chapters.find((x) => /^Infraestructura/.test(x.name)) : null;
		c.cid = (await make({ name: c.name, description: c.description, parentCid: parent ? parent.cid : 0, icon: 'fa-comments' })).cid;
	}
	// One category that visitors see but may not read, and one that they do not see.
	const members = (await make({ name: 'Sala de miembros', description: 'Solo para miembros registrados.', icon: 'fa-lock' })).cid;
	await p.call(Privileges.categories, 'rescind')(['read', 'topics:read'], members, 'guests');
	const hidden = (await make({ name: 'Moderación', description: '', icon: 'fa-gavel' })).cid;
	await p.call(Privileges.categories, 'rescind')(['find', 'read', 'topics:read'], hidden, 'guests');
	return { members: members, hidden: hidden };
}

async function makePosts(events, chapters, closed) {
	const Topics = need('src/topics');
	let n = 0;
	for (const e of events) {
		const t = e.topic;
		t.cid = t.cid || (r.chance(0.015) ? closed.members : r.chance(0.007) ? closed.hidden : chapters[t.chapter].cid);
		e.cid = t.cid;
		const d = p.decorate(e);
		let pid;
		if (e.main) {
			const res = await p.call(Topics, 'post')({ uid: e.user.uid, cid: t.cid, title: t.title, content: d.text, tags: t.tags, timestamp: e.at });
			t.made = { tid: res.topicData.tid, slug: res.topicData.slug, title: t.title, cid: t.cid, posts: [] };
			p.DONE.push(t.made);
			pid = res.postData.pid;
		} else {
			pid = (await p.call(Topics, 'reply')({ uid: e.user.uid, tid: t.made.tid, content: d.text, toPid: d.toPid, timestamp: e.at })).pid;
		}
		t.made.posts.push({ pid: pid, uid: e.user.uid, slug: e.user.slug, text: e.text });
		e.user.last = e.at;
		if (++n % 500 === 0) { console.log(n + ' posts'); }
	}
}

async function makeRelations(people) {
	const User = need('src/user');
	const Posts = need('src/posts');
	const Groups = need('src/groups');
	const done = {};
	const once = (k) => (done[k] ? false : (done[k] = true));
	const weights = people.map((u) => u.weight + 0.1);
	for (let i = 0; i < people.length * 2; i++) {
		const a = people[r.weighted(weights)];
		const b = people[r.weighted(weights)];
		if (a !== b && once('f' + a.uid + ' ' + b.uid)) { await p.call(User, 'follow')(a.uid, b.uid); }
	}
	const posts = [].concat.apply([], p.DONE.map((t) => t.posts));
	const liked = posts.map(() => r.pareto(1.1) - 0.9);
	for (let i = 0; i < posts.length * 0.8; i++) {
		const x = posts[r.weighted(liked)];
		const u = people[r.weighted(weights)];
		if (u.uid !== x.uid && once('v' + u.uid + ' ' + x.pid)) {
			await p.call(Posts, r.chance(0.94) ? 'upvote' : 'downvote')(x.pid, u.uid);
		}
	}
	for (const g of GROUPS) {
		const owner = people[r.weighted(weights)];
		await p.call(Groups, 'create')({ name: g[0], description: g[1], ownerUid: owner.uid, private: r.chance(0.6) ? 1 : 0, timestamp: p.START });
		const size = 3 + Math.floor(Math.min(50, r.pareto(0.9) * 4));
		for (let i = 0; i < size; i++) {
			await p.call(Groups, 'join')(g[0], people[r.weighted(people.map((u) => Math.sqrt(u.weight)))].uid);
		}
	}
}

// What moderators do, and views.
async function tidy(people) {
	const Topics = need('src/topics');
	const Posts = need('src/posts');
	const User = need('src/user');
	const some = (share) => p.DONE.filter(() => r.chance(share));
	for (const t of some(0.012)) { await p.call(Topics.tools, 'lock')(t.tid, 1); }
	for (const t of some(0.006)) { await p.call(Topics.tools, 'pin')(t.tid, 1); }
	for (const t of some(0.008)) { await p.call(Topics.tools, 'move')(t.tid, r.pick(p.DONE).cid, 1); }
	for (const t of some(0.15)) {
		const x = r.pick(t.posts);
		if (r.chance(0.15) && x !== t.posts[0]) {
			await p.call(Posts.tools, 'delete')(1, x.pid);
		} else if (r.chance(0.3)) {
			const old = await p.call(Posts, 'getPostField')(x.pid, 'content');
			await p.call(Posts, 'edit')({ pid: x.pid, uid: x.uid, content: old + '\n\n*Editado: corregida una errata.*' });
			const at = await p.call(Posts, 'getPostField')(x.pid, 'timestamp');
			await p.call(Posts, 'setPostField')(x.pid, 'edited', parseInt(at, 10) + 3600e3);
		}
	}
	for (const t of some(0.01)) { await p.call(Topics.tools, 'delete')(t.tid, 1); }
	for (const t of p.DONE) {
		await p.call(Topics, 'setTopicField')(t.tid, 'viewcount', Math.floor(t.posts.length * 8 * r.pareto(1.2)));
	}
	for (const u of people) {
		const seen = Math.min(p.END, (u.last || u.joined) + Math.floor(r.exp(5 * p.DAY)));
		await p.call(User, 'setUserFields')(u.uid, { lastonline: seen, profileviews: r.int(60), status: 'offline' });
		await promiseAdd('users:online', seen, u.uid);
	}
	if (people.length > 20) { await p.call(User, 'ban')(people[people.length - 3].uid); }
}
const promiseAdd = (set, score, id) => p.call(db, 'sortedSetAdd')(set, score, id);

async function main() {
	await p.call(db, 'init')();
	const meta = need('src/meta');
	await p.call(meta.configs, 'init')();
	await p.call(meta.configs, 'setMultiple')({ title: 'Foro de administración Debian', defaultLang: 'es', submitPluginUsage: 0,
		requireEmailConfirmation: 0, eventLoopCheckEnabled: 0 });   // no page 503 when the machine is busy
	for (const plugin of ['nodebb-plugin-emoji-one', 'nodebb-plugin-emoji-extended']) {   // they fetch images from the Internet
		await p.call(db, 'sortedSetRemove')('plugins:active', plugin);
	}
	await p.call(meta.configs, 'init')();
	// Only in this process: no waiting times between posts.
	Object.assign(meta.config, { postDelay: 0, initialPostDelay: 0, newbiePostDelay: 0 });
	const text = p.readChapters();
	const people = content.users(r, Math.max(12, Math.round(125 * p.SCALE)), p.START, p.SPAN, text.about);
	const events = p.plan(text.chapters, people);
	await makeUsers(people);
	const closed = await makeCategories(text.chapters);
	await makePosts(events, text.chapters, closed);
	await makeRelations(people);
	await tidy(people);
	console.log('users %d, topics %d, posts %d', people.length, p.DONE.length, events.length);
}

main().then(() => setTimeout(() => process.exit(0), 3000), (err) => {
	console.error(err);
	process.exit(1);
});
