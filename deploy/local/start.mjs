import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootstrap, root } from './bootstrap.mjs';

const parent = process.ppid;
const watchEveryMs = 500;

await bootstrap('platform');
await import(pathToFileURL(path.join(root, 'deploy/local/dist/start.js')).href);

// Users and supervisors signal npm. npm forwards SIGINT and SIGTERM only, and nothing once it is killed; this process
// then gets a new parent, which reveals that npm was killed. A pipe would not help, because npm passes on its own
// stdin. A platform that was started without npm may outlive its parent, like any daemon.
if (process.env.npm_lifecycle_event !== undefined) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, watchEveryMs);
}
