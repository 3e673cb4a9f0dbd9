// Follows the feed of events, for integrators who can have neither a queue nor an address of their own.
//   node deploy/examples/subscribers/feed.mjs receipt.created delivery.failed
// The cursor is kept in a file: after a pause of any length within 30 days nothing is missed, and nothing is skipped.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createReceiptsClient, followEvents } from '@receipts/client';

const { CREDENTIALS = '.data/demo-credentials.json', CURSOR = '.data/feed-cursor' } = process.env;
const { baseUrl, bearer } = JSON.parse(readFileSync(CREDENTIALS, 'utf8'));

const client = createReceiptsClient({ baseUrl, credential: bearer, retries: { attemptsMax: Infinity } });
const cursor = existsSync(CURSOR) ? readFileSync(CURSOR, 'utf8') : undefined;
const { positionals } = parseArgs({ allowPositionals: true });
const types = positionals.length > 0 ? positionals : ['receipt.*'];

// Ends with an error when the cursor is too old: then read the receipts anew, and delete its file.
for await (const page of followEvents(client, { cursor, types })) {
  for (const { id, type, subject } of page.events) console.log(id, type, subject);
  // Only now: what is worked on when this process dies comes again, with the same id.
  writeFileSync(CURSOR, page.cursor);
  if (page.events.length === 0) console.log(`waits for ${types.join(', ')}`);
}
