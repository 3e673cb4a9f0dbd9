import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootstrap, root } from './bootstrap.mjs';

const parent = process.ppid;
const watchEveryMs = 500;

bootstrap('platform');
await import(pathToFileURL(path.join(root, 'deploy/local/dist/start.js')).href);

// npm is the process that users and supervisors signal. It forwards SIGINT and SIGTERM only, and nothing once it was
// killed, so its death is noticed by the new parent of this process. A pipe would not help: npm passes its own stdin on.
// A platform that was started without npm may outlive its parent, like any daemon.
if (process.env.npm_lifecycle_event !== undefined) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, watchEveryMs);
}
