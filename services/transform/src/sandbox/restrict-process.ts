import builtinLoader from 'node:module';
import iconv from 'iconv-lite';

/**
 * The expression language gives no access to the process that runs it. As a second line of defence this module removes
 * the network, the loading of modules and code, and `process` itself. Flags set from outside block files, processes,
 * threads, native code and code from strings.
 */

function refuse(): never {
  throw new Error('not available here');
}

/**
 * The modules through which code could leave the process or load code. All other modules that can do so are built on
 * these.
 */
const refusedModules = [
  'child_process',
  'dgram',
  'dns',
  'dns/promises',
  'net',
  'tls',
  'vm',
  'worker_threads',
];
const refusedMembersOfProcess = ['getBuiltinModule', 'binding', '_linkedBinding', 'dlopen', 'kill', 'chdir'];
const refusedGlobals = ['process', 'fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];

/** Methods are replaced, too, because code may already hold an instance of the class. */
function refuseMethods(prototype: object): void {
  for (const [name, { value, configurable }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name === 'constructor' || configurable !== true || typeof value !== 'function') continue;
    Object.defineProperty(prototype, name, { value: refuse });
  }
}

function refuseModule(members: object): void {
  for (const [name, { value, configurable }] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
    if (configurable !== true || typeof value !== 'function') continue;
    const { prototype } = value as { prototype?: object };
    if (prototype) refuseMethods(prototype);
    Object.defineProperty(members, name, { value: refuse });
  }
}

interface Loader {
  _load: (request: string, ...rest: unknown[]) => unknown;
  readonly prototype: { _compile: unknown };
}

/** Only data can still be loaded, because tables of code pages are loaded when they are first needed. */
function refuseLoading(): void {
  const loader = builtinLoader as unknown as Loader;
  const load = loader._load;
  loader._load = (request, ...rest) => (request.endsWith('.json') ? load(request, ...rest) : refuse());
  loader.prototype._compile = refuse;
}

/** Triggers lazy initialisation in libraries and Node that would fail later. */
function triggerLazyLoading(): void {
  // iconv-lite loads its code when the first encoding is requested.
  iconv.encodingExists('utf-8');
  // Node's streams create a realm with `vm` when the first reader is released.
  const reader = new ReadableStream().getReader();
  reader.closed.catch(() => undefined);
  reader.releaseLock();
  // Node 24 reads the colour support of these when it creates its first assertion error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

export function restrictProcess(): void {
  triggerLazyLoading();
  const require = builtinLoader.createRequire(__filename);
  for (const name of refusedModules) refuseModule(require(`node:${name}`) as object);
  refuseLoading();
  builtinLoader.syncBuiltinESMExports();
  for (const name of refusedMembersOfProcess) Object.defineProperty(process, name, { value: undefined });
  process.env = {};
  for (const name of refusedGlobals) Object.defineProperty(globalThis, name, { value: undefined });
}
