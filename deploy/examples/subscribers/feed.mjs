// Reads the event feed, for integrators that can use neither a queue nor webhooks.
//   node deploy/examples/subscribers/feed.mjs receipt.created delivery.failed
// The cursor is stored in a file, so that no event is missed after an interruption of up to 30 days.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createReceiptsClient, followEvents } from '@receipts/client';

const { CREDENTIALS = '.data/demo-credentials.json', CURSOR = '.data/feed-cursor' } = process.env;
const { baseUrl, bearer } = JSON.parse(readFileSync(CREDENTIALS, 'utf8'));

const client = createReceiptsClient({ baseUrl, credential: bearer, retries: { attemptsMax: Infinity } });
const cursor = existsSync(CURSOR) ? readFileSync(CURSOR, 'utf8') : undefined;
const { positionals } = parseArgs({ allowPositionals: true });
const types = positionals.length > 0 ? positionals : ['receipt.*'];

// Throws if the cursor has expired. In that case, read the receipts again and delete the file.
for await (const page of followEvents(client, { cursor, types })) {
  for (const { id, type, subject } of page.events) console.log(id, type, subject);
  // Store the cursor only after processing: if the process crashes earlier, the same events are returned again, with
  // the same ids.
  writeFileSync(CURSOR, page.cursor);
  if (page.events.length === 0) console.log(`waiting for ${types.join(', ')}`);
}
