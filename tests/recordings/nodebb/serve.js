'use strict';
// Several processes of the forum behind one port (the software's own way needs one port for each and a proxy).
const cluster = require('cluster');

// Each process must have app.js as its main module: the plugins load the forum's modules from there.
cluster.setupMaster({ exec: process.env.APP + '/app.js' });
const n = parseInt(process.env.WORKERS || '2', 10);
let deaths = 0;
for (let i = 0; i < n; i++) {
	cluster.fork({ isPrimary: i === 0 ? 'true' : 'false', isCluster: 'true' });
}
cluster.on('exit', () => {
	if (++deaths > 10) { process.exit(1); }
	cluster.fork({ isPrimary: 'false', isCluster: 'true' });
});
const stop = () => {
	cluster.removeAllListeners('exit');
	Object.keys(cluster.workers).forEach((id) => cluster.workers[id].kill());
	setTimeout(() => process.exit(0), 1500);
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
