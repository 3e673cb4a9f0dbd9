import builtinLoader from 'node:module';
import iconv from 'iconv-lite';

/**
 * The expression language gives no way to the process that runs it. Should one be found all the same, nothing is left that
 * is worth finding: this takes away the network, the loading of modules and code, and `process` itself. Flags that are set
 * from outside close files, processes, threads, native code and code from strings.
 */

function refuse(): never {
  throw new Error('not available here');
}

/** Modules by which code reaches beyond the process or makes new code. All others that do so are built upon these. */
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

/** Whoever holds an object of a class already could still call its methods. */
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

/** Only data may still be loaded: the tables of code pages are, when the first text needs one. */
function refuseLoading(): void {
  const loader = builtinLoader as unknown as Loader;
  const load = loader._load;
  loader._load = (request, ...rest) => (request.endsWith('.json') ? load(request, ...rest) : refuse());
  loader.prototype._compile = refuse;
}

/** What libraries and Node itself put off until they need it, and could not do afterwards. */
function loadWhatIsPutOff(): void {
  // iconv-lite loads its code when the first encoding is asked for.
  iconv.encodingExists('utf-8');
  // Node's streams make a realm of their own, by `vm`, when the first reader lets go.
  const reader = new ReadableStream().getReader();
  reader.closed.catch(() => undefined);
  reader.releaseLock();
  // Node 24 looks for the colours of these when it makes its first error of an assertion.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

export function restrictProcess(): void {
  loadWhatIsPutOff();
  const require = builtinLoader.createRequire(__filename);
  for (const name of refusedModules) refuseModule(require(`node:${name}`) as object);
  refuseLoading();
  builtinLoader.syncBuiltinESMExports();
  for (const name of refusedMembersOfProcess) Object.defineProperty(process, name, { value: undefined });
  process.env = {};
  for (const name of refusedGlobals) Object.defineProperty(globalThis, name, { value: undefined });
}
