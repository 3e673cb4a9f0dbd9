import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { sandboxFlags } from './launch';

/**
 * The capabilities of code that has escaped from the expression language: it runs like the sandboxed process, with the
 * same flags and the same restrictions, and has access to more than any expression could get, even the module loader.
 */
const restriction = path.resolve(__dirname, '../../dist/sandbox/restrict-process.js');

function attempt(code: string): Promise<string> {
  const script = `
    const heldProcess = process, { setTimeout: wait } = globalThis;
    const heldNet = require('node:net'), heldSocket = new heldNet.Socket(), heldHttp = require('node:http');
    const fs = require('node:fs');
    const say = (text) => fs.writeSync(1, String(text));
    require(${JSON.stringify(restriction)}).restrictProcess();
    (async () => { ${code} })().then((value) => say('done ' + value), (error) => say('refused'));
    wait(() => heldProcess.exit(), 2000).unref();`;
  return new Promise((resolve) => {
    execFile(process.execPath, [...sandboxFlags(64), '-e', script], { env: {} }, (error, stdout, stderr) => {
      resolve(stdout || `ended: ${stderr || error?.message}`);
    });
  });
}

let listener: Server;
let port = 0;
let connections = 0;

beforeAll(async () => {
  listener = createServer(() => connections++);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  port = (listener.address() as { port: number }).port;
});
afterAll(() => listener.close());

test('permits allowed operations, so that the failures below are meaningful', async () => {
  expect(await attempt('return 1 + 1')).toBe('done 2');
});

const connect = (how: string) => `const socket = ${how};
  return new Promise((resolve, reject) => { socket.on('error', reject); socket.on('connect', () => resolve('connected')); })`;

test.each([
  ['a socket through the module', () => connect(`require('node:net').connect(${port}, '127.0.0.1')`)],
  ['a socket through a module reference', () => connect(`heldNet.connect(${port}, '127.0.0.1')`)],
  ['an existing socket', () => connect(`heldSocket.connect(${port}, '127.0.0.1')`)],
  ['HTTP', () => connect(`heldHttp.get('http://127.0.0.1:${port}/')`)],
  ['a socket through import', () => connect(`(await import('node:net')).connect(${port}, '127.0.0.1')`)],
  ['fetch', () => `return (await fetch('http://127.0.0.1:${port}/')).status`],
  ['UDP', () => `return (await import('node:dgram')).createSocket('udp4').send('x', ${port}, '127.0.0.1')`],
  ['names', () => `return (await import('node:dns/promises')).lookup('localhost')`],
])('blocks the network: %s', async (_, code) => {
  expect(await attempt(code())).toBe('refused');
  expect(connections).toBe(0);
});

test.each([
  ['eval', `return eval('1 + 1')`],
  ['Function', `return new Function('return 1')()`],
  ['the constructor of a function', `return (() => {}).constructor('return 1')()`],
  ['an async function', `return (async () => {}).constructor('return 1')()`],
  ['vm', `return (await import('node:vm')).runInThisContext('1 + 1')`],
  ['a script', `return new (await import('node:vm')).Script('1 + 1').runInThisContext()`],
  ['a module', `return module._compile('module.exports = 1', 'x.js')`],
])('blocks code from strings: %s', async (_, code) => {
  expect(await attempt(code)).toBe('refused');
});

test.each([
  ['process', `return process.pid`],
  ['process of the global object', `return globalThis.process.pid`],
  ['process as a module', `return require('node:process').pid`],
  ['its own modules', `return heldProcess.getBuiltinModule('fs').readFileSync('/etc/hostname')`],
  ['its bindings', `return heldProcess.binding('fs')`],
  ['signals', `return heldProcess.kill(heldProcess.ppid, 0)`],
  ['its environment', `if (Object.keys(heldProcess.env).length === 0) throw new Error('empty')`],
  ['a process', `return require('node:child_process').execSync('id')`],
  ['a process through import', `return (await import('node:child_process')).execSync('id')`],
  ['a thread', `return new (await import('node:worker_threads')).Worker('1', { eval: true }).threadId`],
  ['a file outside the project', `return fs.readFileSync('/etc/passwd', 'utf8')`],
  ['writing', `return fs.writeFileSync('/tmp/receipts-sandbox-probe', 'x')`],
  ['writing next to the code', `return fs.writeFileSync(__dirname + '/probe', 'x')`],
])('blocks access to the machine: %s', async (_, code) => {
  expect(await attempt(code)).toBe('refused');
});
