// Receives webhooks on this machine, verifies them, and creates the endpoint that sends them.
//   node deploy/examples/subscribers/webhook.mjs receipt.created delivery.failed
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const { baseUrl, bearer } = JSON.parse(
  readFileSync(process.env.CREDENTIALS ?? '.data/demo-credentials.json', 'utf8'),
);
const headers = { authorization: `Bearer ${bearer.token}`, 'content-type': 'application/json' };
const eventTypes = process.argv.length > 2 ? process.argv.slice(2) : ['receipt.*'];
const seen = new Set();
let webhook;

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    // The signature is over the bytes as they came, and over a time that may be five minutes away at most.
    const { type, data } = webhook.verify(Buffer.concat(chunks).toString(), request.headers);
    const id = request.headers['webhook-id'];
    // Delivery is at least once: the same id is the same event.
    if (!seen.has(id)) console.log(id, type, data.id);
    seen.add(id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
});

server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/`;
  const body = JSON.stringify({ url, event_types: eventTypes, description: 'example' });
  const answer = await fetch(`${baseUrl}/webhooks/endpoints`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  const { id, secret } = await answer.json();
  webhook = new Webhook(secret);
  console.log(`endpoint ${id} listens on ${url}`);
  process.once('SIGINT', async () => {
    await fetch(`${baseUrl}/webhooks/endpoints/${id}`, { method: 'DELETE', headers });
    process.exit();
  });
});
