// Follows the feed of events, for integrators who can have neither a queue nor an address of their own.
//   node deploy/examples/subscribers/feed.mjs receipt.created delivery.failed
// The cursor is kept in a file: after a pause of any length within 30 days nothing is missed, and nothing is skipped.
import { readFileSync, writeFileSync } from 'node:fs';

const { baseUrl, bearer } = JSON.parse(
  readFileSync(process.env.CREDENTIALS ?? '.data/demo-credentials.json', 'utf8'),
);
const cursorFile = process.env.CURSOR ?? '.data/feed-cursor';
const types = process.argv.slice(2).join(',') || 'receipt.*';
const headers = { authorization: `Bearer ${bearer.token}` };

function firstPage() {
  try {
    return readFileSync(cursorFile, 'utf8');
  } catch {
    return `/events?types=${types}`;
  }
}

for (let page = firstPage(); ;) {
  const answer = await fetch(`${baseUrl}${page}&wait=30`, { headers }).catch(() => undefined);
  if (answer?.status === 410)
    throw new Error('the cursor is too old: read the receipts anew, then delete its file');
  if (!answer?.ok) {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    continue;
  }
  const { events, _links } = await answer.json();
  for (const { id, type, subject } of events) console.log(id, type, subject);
  // Only now: what is worked on when this process dies comes again, with the same id.
  page = _links.next.href.replace(/&wait=\d+/, '');
  writeFileSync(cursorFile, page);
}
