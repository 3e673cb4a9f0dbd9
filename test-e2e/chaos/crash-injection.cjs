// Preloaded into a service (NODE_OPTIONS=--require) to kill it at a precise point, which an external signal cannot hit
// reliably. On SIGUSR2 it reads the point from the file CRASH_POINT_FILE, for example `{"point": "after a commit",
// "nth": 7}`.
const { readFileSync } = require('node:fs');
const { setImmediate } = require('node:timers');
const path = require('node:path');

const drivers = path.dirname(require.resolve('mongodb'));
const { Connection } = require(path.join(drivers, 'cmap/connection.js'));
const { Channel } = require(path.join(path.dirname(require.resolve('amqplib')), 'lib/channel.js'));

const writes = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];
/** Writes of leases are ignored, because idle processes also write them, and no request waits for them. */
const isLease = (collection) => /lease/i.test(collection);
const arraysAtATime = 20;
const numbersInEach = 50_000;
let next;

/** Kills the process, as in a power failure, when it reaches the given point for the nth time. */
function reach(point) {
  if (next?.point !== point || --next.nth > 0) return;
  process.kill(process.pid, 'SIGKILL');
}

const { command } = Connection.prototype;
Connection.prototype.command = async function (namespace, document, ...others) {
  const isWrite = writes.some((name) => name in document) && !isLease(String(namespace.collection));
  if (isWrite) reach('before a commit');
  const answer = await command.call(this, namespace, document, ...others);
  if (isWrite) reach('after a commit');
  return answer;
};

const { handleConfirm } = Channel.prototype;
Channel.prototype.handleConfirm = function (...args) {
  // The broker has confirmed the message, but the service does not know it yet.
  reach('after a publish');
  return handleConfirm.apply(this, args);
};

/** Allocates memory until it is exhausted, like a memory leak. */
function exhaustMemory(kept) {
  for (let n = 0; n < arraysAtATime; n++) kept.push(Array.from({ length: numbersInEach }, Math.random));
  setImmediate(exhaustMemory, kept);
}

process.on('SIGUSR2', () => {
  next = JSON.parse(readFileSync(process.env.CRASH_POINT_FILE, 'utf8'));
  if (next.point === 'out of memory') exhaustMemory([]);
});
