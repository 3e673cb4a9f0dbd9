// Consumes the events of a retailer from the integrator's own queue in RabbitMQ. The operator creates the queue:
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

// A lost connection ends this process. Its supervisor must restart it; the queue keeps the events meanwhile.
const connection = await amqp.connect(address.href);
const channel = await connection.createChannel();
await channel.prefetch(50);
await channel.consume(subscription.queue, (message) => {
  if (!message) throw new Error('the queue was deleted');
  // The message is a CloudEvent in JSON.
  const { id, type, subject } = JSON.parse(message.content.toString());
  // Delivery is at least once, so an event with a known id is a redelivery. Acknowledge an event only after processing
  // it.
  if (!seen.has(id)) console.log(id, type, subject);
  seen.add(id);
  channel.ack(message);
});
console.log(`waiting for ${subscription.routing_keys.join(', ')}`);
