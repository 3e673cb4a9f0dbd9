// Receives webhooks on this machine, verifies them, and creates the endpoint that sends them.
//   node deploy/examples/subscribers/webhook.mjs receipt.created delivery.failed
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createReceiptsClient, dataOf, verifyWebhook } from '@receipts/client';

const { CREDENTIALS = '.data/demo-credentials.json' } = process.env;
const { baseUrl, bearer } = JSON.parse(readFileSync(CREDENTIALS, 'utf8'));
const client = createReceiptsClient({ baseUrl, credential: bearer });
const { positionals } = parseArgs({ allowPositionals: true });
const types = positionals.length > 0 ? positionals : ['receipt.*'];
const seen = new Set();
let endpoint;

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    // The signature covers the unmodified bytes of the body and a timestamp, which may differ from this machine's time
    // by up to five minutes.
    const { id, type, data } = verifyWebhook(endpoint.secret, request.headers, Buffer.concat(chunks));
    // Delivery is at least once, so an event with a known id is a redelivery.
    if (!seen.has(id)) console.log(id, type, data.id);
    seen.add(id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
});

server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/`;
  const body = { url, event_types: types, description: 'example' };
  endpoint = await dataOf(client.POST('/webhooks/endpoints', { body }));
  console.log(`endpoint ${endpoint.id} listens on ${url}`);
  process.once('SIGINT', async () => {
    await client.DELETE('/webhooks/endpoints/{id}', { params: { path: { id: endpoint.id } } });
    process.exit();
  });
});
