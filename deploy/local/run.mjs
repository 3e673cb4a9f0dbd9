// Prepares the clone and runs a compiled program: `node deploy/local/run.mjs platform|everything <program> <arguments>`.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootstrap, root } from './bootstrap.mjs';

const [whole, program] = process.argv.splice(2, 2);
await bootstrap(whole);
await import(pathToFileURL(path.join(root, program)).href);
