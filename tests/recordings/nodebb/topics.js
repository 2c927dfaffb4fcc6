'use strict';
// Themes of the forum (groups of related tags), and who writes about what: the tags of a topic come from its text, and a
// member writes about 70 % of the time about one to three themes, and about anything else otherwise.

// Theme: commands that are tags themselves, and tags with the words of the text that call for them.
const THEMES = {
	paquetes: { commands: 'apt apt-get apt-cache aptitude dpkg synaptic debfoster deb-src dch rpm apticron how-can-i-help',
		words: { paquetes: 'paquetes?', dependencias: 'dependencias?', repositorios: 'repositorios?|r[eé]plicas?', actualizaciones: 'actualizaci(ón|ones)|actualizar' } },
	proyecto: { commands: 'main contrib non-free debian-cd',
		words: { versiones: 'versi(ón|ones)|estable|testing|unstable', desarrolladores: 'desarrollador(es)?', licencias: 'licencias?|software libre',
			comunidad: 'voluntarios?|comunidad|traducci(ón|ones)', errores: 'informes? de errores|errores' } },
	redes: { commands: 'ssh sshd sftp ftp nft ipv6 bind vpn route netstat tun tap br0 eth0 inetd',
		words: { redes: 'redes|interfa(z|ces) de red', direcciones: 'direcci(ón|ones) ip', dns: 'dns', cortafuegos: 'cortafuegos|netfilter', enrutamiento: 'enruta\\w*|routers?|pasarelas?', wifi: 'wifi|inal[aá]mbric[ao]s?' } },
	servidores: { commands: 'postfix ldapadd clamav-milter mydestination mynetworks www-data saslpasswd2',
		words: { correo: 'correos?|smtp', web: 'apache|servidor(es)? web|p[aá]ginas? web', ldap: 'ldap', samba: 'samba|windows|nfs', impresoras: 'impresoras?|impresi[oó]n' } },
	sistema: { commands: 'mount mdadm sdb systemd systemctl init cron atd anacron journalctl logrotate rsyslogd update-grub libvirtd',
		words: { discos: 'discos?', particiones: 'partici(ón|ones)', raid: 'raid|lvm', kernel: 'n[uú]cleos?|kernel', arranque: 'arran(que|car)|gestor de arranque', virtualizacion: 'virtual(es|izaci[oó]n)?|xen|kvm|contenedores', usb: 'usb' } },
	seguridad: { commands: 'setuid setgid logcheck suricata openssl cert key sudo passwd adduser newgrp semanage semodule nobody ssh-vulnkey',
		words: { seguridad: 'seguridad', permisos: 'permisos?|derechos', usuarios: 'usuarios', ataques: 'ataques?|atacantes?|intrus(os?|iones)|vulnerabilidad(es)?', claves: 'contraseñas?|claves?', certificados: 'certificados?', selinux: 'selinux|apparmor' } },
	escritorio: { commands: 'xterm gdm bash gzip grep tar locate x-www-browser',
		words: { escritorio: 'escritorios?|gnome|kde|xfce', consola: 'consola|terminal(es)?|shell|int[eé]rprete', teclado: 'teclados?|configuraci[oó]n regional|idiomas?', navegadores: 'navegador(es)?', documentos: 'documentaci[oó]n|p[aá]ginas? de manual' } },
};
const OF_TAG = {};
Object.keys(THEMES).forEach((name) => {
	THEMES[name].commands.split(' ').concat(Object.keys(THEMES[name].words)).forEach((tag) => { OF_TAG[tag] = name; });
});
// Factor by which a shared interest raises the chance that a member writes.
const INTEREST = 5;

const themesOf = (tags) => Array.from(new Set(tags.map((t) => OF_TAG[t]).filter(Boolean)));

// The tags that the words of a text call for, those with the most words first, and only of its two strongest themes.
function tagsOf(text) {
	const found = [];
	const ofTheme = {};
	const lower = text.toLowerCase();
	Object.keys(THEMES).forEach((name) => {
		Object.keys(THEMES[name].words).forEach((tag) => {
			const uses = (lower.match(new RegExp('(^|[^a-záéíóúñ])(' + THEMES[name].words[tag] + ')(?![a-záéíóúñ])', 'g')) || []).length;
			if (uses) {
				found.push({ tag: tag, uses: uses });
				ofTheme[name] = (ofTheme[name] || 0) + uses;
			}
		});
	});
	const order = Object.keys(ofTheme);
	const strong = order.slice().sort((a, b) => ofTheme[b] - ofTheme[a] || order.indexOf(a) - order.indexOf(b)).slice(0, 2);
	const place = found.map((f) => f.tag);
	return found.filter((f) => strong.indexOf(OF_TAG[f.tag]) >= 0)
		.sort((a, b) => b.uses - a.uses || place.indexOf(a.tag) - place.indexOf(b.tag)).map((f) => f.tag);
}

// Gives each member one to three themes.
function chooseInterests(r, people) {
	const names = Object.keys(THEMES);
	people.forEach((u) => {
		const wanted = r.pick([1, 1, 2, 2, 3]);
		u.interests = [];
		while (u.interests.length < wanted) {
			const name = r.pick(names);
			if (u.interests.indexOf(name) < 0) { u.interests.push(name); }
		}
	});
}

// The weight of a member as writer of a topic with these themes.
const affinity = (u, themes) => (themes.some((name) => u.interests.indexOf(name) >= 0) ? INTEREST : 1);

module.exports = { tagsOf: tagsOf, themesOf: themesOf, chooseInterests: chooseInterests, affinity: affinity };
