import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from 'amqplib';
import { z } from 'zod';
import { defineCommand, json, newId } from '@receipts/kernel';
import { connectBroker } from '@receipts/messaging';
import { startRabbit } from '@receipts/testing';

/**
 * Compares requests and one-way commands of 2 KB between two processes with a plain amqplib implementation that
 * sends one message per item. Run after a build: `node libs/messaging/bench/throughput.mjs`.
 */
const rounds = 3;
const itemsPerRound = 20_000;
const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const contracts = {
  keep: defineCommand(
    {
      name: 'bench.keep-thing',
      summary: 'A thing',
      description: 'For measuring.',
      body: json(z.looseObject({})),
      output: z.object({ id: z.string() }),
    },
    { oneWay: () => true },
  ),
};
const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(2_000) }));
const byHand = { commands: 'by-hand.commands', requests: 'by-hand.requests' };

function callNow() {
  const id = newId();
  const at = Date.now();
  const principal = { kind: 'client', id: 'bearer:7' };
  return { id, requestId: id, retailer: id, principal, deadline: at + 10_000, at };
}

async function serve(url) {
  const broker = await connectBroker({ url, service: 'bench', log });
  const ready = Buffer.from('{"id":"1"}');
  const keep = { batch: async (items) => items.map(() => ({ body: ready })) };
  await broker.serve({ owner: 'bench', contracts, handlers: { keep } });
  const connection = await connect(url, { noDelay: true });
  const channel = await connection.createChannel();
  await channel.assertQueue(byHand.commands, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.assertQueue(byHand.requests, { durable: true });
  await channel.prefetch(256);
  await channel.consume(byHand.commands, (message) => channel.ack(message));
  await channel.consume(byHand.requests, (message) => {
    JSON.parse(message.content.toString());
    channel.publish('', message.properties.replyTo, ready, {
      correlationId: message.properties.correlationId,
    });
    channel.ack(message);
  });
  process.send('ready');
  await once(process, 'disconnect');
  await connection.close();
  await broker.close();
}

const ticksPerSecond = 100;

/** CPU seconds used by a process. On a busy machine, they are more comparable than rates. */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

async function measure(pids, name, inFlight, act) {
  const rates = [];
  const before = pids.map(processorSeconds);
  for (let round = 0; round <= rounds; round++) {
    let begun = 0;
    const started = process.hrtime.bigint();
    const worker = async () => {
      while (begun++ < itemsPerRound) await act();
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    rates.push((itemsPerRound / Number(process.hrtime.bigint() - started)) * 1e9);
  }
  const thousands = (itemsPerRound * (rounds + 1)) / 1_000;
  const used = pids.map((pid, i) => (processorSeconds(pid) - before[i]) / thousands);
  // The first round is a warm-up.
  const [, ...counted] = rates;
  counted.sort((a, b) => a - b);
  const median = counted[Math.floor(counted.length / 2)];
  const [broker, owner, caller] = used.map((seconds) => seconds.toFixed(3));
  console.log(`${name}, ${inFlight} in flight: ${Math.round(median)} per second`);
  console.log(`  CPU seconds per 1,000: broker ${broker}, owner ${owner}, caller ${caller}`);
  return { median, seconds: used.reduce((sum, seconds) => sum + seconds) };
}

/** Implements both operations on plain amqplib with one message per item. */
async function connectByHand(url) {
  const connection = await connect(url, { noDelay: true });
  const confirming = await connection.createConfirmChannel();
  const asking = await connection.createChannel();
  const waiting = new Map();
  await asking.consume(
    'amq.rabbitmq.reply-to',
    (message) => {
      waiting.get(message.properties.correlationId)?.(JSON.parse(message.content.toString()));
      waiting.delete(message.properties.correlationId);
    },
    { noAck: true },
  );
  let asked = 0;
  return {
    send: () =>
      new Promise((resolve, reject) => {
        const options = { persistent: true, mandatory: true, headers: callNow() };
        confirming.sendToQueue(byHand.commands, body, options, (error) =>
          error ? reject(error) : resolve(),
        );
      }),
    ask: () =>
      new Promise((resolve) => {
        const correlationId = String(++asked);
        waiting.set(correlationId, resolve);
        const options = { correlationId, replyTo: 'amq.rabbitmq.reply-to', headers: callNow() };
        asking.sendToQueue(byHand.requests, body, options);
      }),
    close: () => connection.close(),
  };
}

async function main() {
  const rabbit = await startRabbit({ schedulers: 2 });
  const child = fork(fileURLToPath(import.meta.url), ['serve', rabbit.url]);
  await once(child, 'message');
  const broker = await connectBroker({ url: rabbit.url, service: 'caller', log });
  const hand = await connectByHand(rabbit.url);
  const pids = [rabbit.pid, child.pid, process.pid];
  const compare = async (name, inFlight, ours, theirs) => {
    const mine = await measure(pids, name, inFlight, ours);
    const hands = await measure(pids, `${name} without the library, one message per item`, inFlight, theirs);
    const rate = (mine.median / hands.median).toFixed(2);
    console.log(`  rate x ${rate}, CPU time / ${(hands.seconds / mine.seconds).toFixed(2)}`);
  };
  await compare('RPC', 256, () => broker.askRaw(contracts.keep, { body }, callNow()), hand.ask);
  await compare('confirmed', 64, () => broker.send(contracts.keep, { body }, callNow()), hand.send);
  await hand.close();
  await broker.close();
  child.disconnect();
  await once(child, 'exit');
  await rabbit.dispose();
}

const {
  positionals: [role, url],
} = parseArgs({ allowPositionals: true });
await (role === 'serve' ? serve(url) : main());
