import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootstrap, root } from './bootstrap.mjs';

bootstrap('platform');
await import(pathToFileURL(path.join(root, 'deploy/local/dist/reset.js')).href);
