// Posts a receipt with Node alone. Usage: TOKEN=... node till.mjs [base URL]
import { setTimeout as wait } from 'node:timers/promises';

const url = process.argv[2] ?? 'http://127.0.0.1:8080';
const number = `NODE-${Date.now()}-${process.pid}`;
const headers = { authorization: `Bearer ${process.env.TOKEN}`, 'content-type': 'application/json' };
const body = JSON.stringify({
  transaction_id: number,
  localtime: new Date().toISOString(),
  store_reference: 1,
  total: 4.8,
  items: [{ name: 'Espresso', quantity: 2, total: 4.8 }],
  payments: [{ method: 'cash', amount: 4.8 }],
});

// The key makes retries safe: the receipt is stored once, and each response is the same.
for (let seconds = 1; ; seconds = Math.min(seconds * 2, 60)) {
  const request = { method: 'POST', headers: { ...headers, 'idempotency-key': number }, body };
  const answer = await fetch(`${url}/receipts`, request).catch(() => undefined);
  if (answer && answer.status !== 429 && answer.status < 500) {
    console.log(answer.status, await answer.text());
    process.exit(answer.ok ? 0 : 1);
  }
  await wait(1000 * Number(answer?.headers.get('retry-after') ?? seconds));
}
