// Consumes events from RabbitMQ: every event is a CloudEvent in JSON on the exchange `<platform>.events`, its type the key.
// Address and exchange stand in .data/demo-credentials.json, under `broker`.
//   AMQP_URL=amqp://user:password@127.0.0.1:5672 EXCHANGE=receipts.events node deploy/examples/subscribers/broker.mjs 'receipt.*'
// Whoever has been given a queue of their own names it in QUEUE and binds nothing.
import amqp from 'amqplib';

const { AMQP_URL = 'amqp://127.0.0.1:5672', EXCHANGE = 'receipts.events', QUEUE, RETAILER } = process.env;
const types = process.argv.length > 2 ? process.argv.slice(2) : ['receipt.*'];
const seen = new Set();

const connection = await amqp.connect(AMQP_URL);
const channel = await connection.createChannel();
await channel.prefetch(50);

let queue = QUEUE;
if (queue === undefined) {
  // Durable, so that nothing is missed while this process is away.
  ({ queue } = await channel.assertQueue('example.subscriber', { arguments: { 'x-queue-type': 'quorum' } }));
  for (const type of types) await channel.bindQueue(queue, EXCHANGE, type);
}

console.log(`${queue} waits for ${types.join(', ')}`);
await channel.consume(queue, (message) => {
  if (!message) throw new Error('the queue was deleted');
  const { id, type, subject, retailer } = JSON.parse(message.content.toString());
  // At least once: the same id is the same event. Only what is done is acknowledged.
  if (!seen.has(id) && (RETAILER === undefined || RETAILER === retailer))
    console.log(id, type, retailer, subject);
  seen.add(id);
  channel.ack(message);
});
