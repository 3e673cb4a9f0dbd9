// Loaded before a service (NODE_OPTIONS=--require), to make it die where no signal from outside can be sure to meet it. On
// SIGUSR2 it reads from DRILL_ORDERS, a file, where it has to die: `{"point": "after a commit", "nth": 7}`.
const { readFileSync } = require('node:fs');
const { setImmediate } = require('node:timers');
const path = require('node:path');

const drivers = path.dirname(require.resolve('mongodb'));
const { Connection } = require(path.join(drivers, 'cmap/connection.js'));
const { Channel } = require(path.join(path.dirname(require.resolve('amqplib')), 'lib/channel.js'));

const writes = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];
/** Nobody waits for a lease, and idle processes take them too. */
const isLease = (collection) => /lease/i.test(collection);
const arraysAtATime = 20;
const numbersInEach = 50_000;
let order;

/** Ends the process at once, as a power cut would, when it has come here as often as it was told. */
function comeTo(point) {
  if (order?.point !== point || --order.nth > 0) return;
  process.kill(process.pid, 'SIGKILL');
}

const { command } = Connection.prototype;
Connection.prototype.command = async function (namespace, document, ...others) {
  const isWrite = writes.some((name) => name in document) && !isLease(String(namespace.collection));
  if (isWrite) comeTo('before a commit');
  const answer = await command.call(this, namespace, document, ...others);
  if (isWrite) comeTo('after a commit');
  return answer;
};

const { handleConfirm } = Channel.prototype;
Channel.prototype.handleConfirm = function (...args) {
  // The broker has it safe, and nobody here knows.
  comeTo('after a publish');
  return handleConfirm.apply(this, args);
};

/** Takes memory until there is none, as a leak does. */
function swell(kept) {
  for (let n = 0; n < arraysAtATime; n++) kept.push(Array.from({ length: numbersInEach }, Math.random));
  setImmediate(swell, kept);
}

process.on('SIGUSR2', () => {
  order = JSON.parse(readFileSync(process.env.DRILL_ORDERS, 'utf8'));
  if (order.point === 'no memory') swell([]);
});
