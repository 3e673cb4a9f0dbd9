// Consumes the events of one retailer from a queue of the integrator's own on RabbitMQ. The operator has made it:
//   npm run --silent operator -- subscription create demo warehouse 'receipt.*' --json > .data/subscription.json
//   node deploy/examples/subscribers/broker.mjs .data/subscription.json
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import amqp from 'amqplib';

const { positionals } = parseArgs({ allowPositionals: true });
const subscription = JSON.parse(readFileSync(positionals[0] ?? '.data/subscription.json', 'utf8'));
const address = new URL(subscription.url);
address.username = subscription.user;
address.password = subscription.password;
const seen = new Set();

// A connection that is lost ends this process: whatever runs it starts it again, and nothing is missed meanwhile.
const connection = await amqp.connect(address.href);
const channel = await connection.createChannel();
await channel.prefetch(50);
await channel.consume(subscription.queue, (message) => {
  if (!message) throw new Error('the queue was deleted');
  // A CloudEvent in JSON.
  const { id, type, subject } = JSON.parse(message.content.toString());
  // At least once: the same id is the same event. Only what is done is acknowledged.
  if (!seen.has(id)) console.log(id, type, subject);
  seen.add(id);
  channel.ack(message);
});
console.log(`waits for ${subscription.routing_keys.join(', ')}`);
