import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootstrap, root } from './bootstrap.mjs';

bootstrap('everything');
await import(pathToFileURL(path.join(root, 'test-e2e/dist/drills/main.js')).href);
