import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ApiError, createReceiptsClient, dataOf } from '@receipts/client';
import { addFirstSteps, readFirstSteps } from '../first-steps';
import { inviteManager, type Manager } from '../invite-manager';
import type { DemoCredentials } from '../provision';
import { readLocalSettings } from '../settings';
import { demoReceipts, isVoided, type DemoReceipt } from './demo-receipts';
import { shops, type Shop } from './shops';

const usage = `Usage: npm run demo [-- --count <receipts>] [--days <days>]

Adds four retailers with recent receipts to the platform started by "npm start", so that no page is empty, and a manager
of each who can sign in to the portal. Existing receipts are not stored again.

  --count  total number of receipts, 20000 by default
  --days   number of days up to today over which the receipts are spread, 90 by default
`;

const batchSize = 500;
const failingSlips = 5;

type Client = ReturnType<typeof createReceiptsClient>;

/** @throws ApiError, unless the object already exists */
async function unlessItExists(created: Promise<unknown>): Promise<void> {
  await created.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  });
}

/** Creates the retailer with its stores unless it exists, and returns a client of the API with a new credential. */
async function openShop(shop: Shop, baseUrl: string, operator: Client): Promise<Client> {
  const settings = {
    timezone: shop.timezone,
    currency: shop.currency,
    locale: shop.locale,
    response_links: true,
    brand: { name: shop.name, colour: shop.colour },
    portal_groups: ['managers'],
    portal_permissions: { managers: ['view.*' as const] },
  };
  await unlessItExists(
    dataOf(operator.POST('/operator/retailers', { body: { id: shop.id, name: shop.name, settings } })),
  );
  const { key, secret } = await dataOf(
    operator.POST('/operator/retailers/{id}/clients/{authentication}', {
      params: { path: { id: shop.id, authentication: 'bearer' } },
      body: { description: 'npm run demo', permissions: ['view.*'] },
    }),
  );
  const client = createReceiptsClient({ baseUrl, credential: { kid: key, secret: secret ?? '' } });
  for (const [index, store] of shop.stores.entries()) {
    const body = { reference: index + 1, ...store, timezone: shop.timezone, currency: shop.currency };
    await unlessItExists(dataOf(client.POST('/stores', { body })));
  }
  return client;
}

/** A slip that no mapping matches, so that the pages of failed packets are not empty. */
const unreadableSlip = (number: number) => ({
  headers: { 'Content-Type': 'text/x-unknown-till' },
  body: `SLIP ${number}\nTOTAL 12.50\n`,
  bodySerializer: (text: string) => text,
});

const isStored = <T extends { status: number }>(result: T): result is Extract<T, { status: 201 }> =>
  result.status === 201;

/** Shows progress on one line, in a terminal only: how many of how many, and how long it will take. */
function showProgress(name: string, done: number, count: number, began: number): void {
  if (!process.stderr.isTTY) return;
  const perSecond = done / Math.max(1, (Date.now() - began) / 1_000);
  const left = Math.ceil((count - done) / Math.max(1, perSecond));
  const rate = `${Math.round(perSecond)} a second, ${left} s left`;
  process.stderr.write(`\r\u001b[K${done < count ? `${name}: ${done} of ${count} receipts, ${rate}` : ''}`);
}

/** Posts the receipts in batches, and voids some. Returns the number of new receipts. */
async function post(name: string, client: Client, receipts: readonly DemoReceipt[]): Promise<number> {
  let stored = 0;
  const began = Date.now();
  for (let at = 0; at < receipts.length; at += batchSize) {
    const body = { receipts: receipts.slice(at, at + batchSize) };
    const { accepted, results } = await dataOf(client.POST('/receipts/_batch', { body: body as never }));
    stored += accepted;
    for (const [index, result] of results.entries()) {
      if (isStored(result)) {
        if (!isVoided(at + index)) continue;
        const target = { params: { path: { id: result.id } }, body: { reason: 'entered twice' } };
        await dataOf(client.POST('/receipts/{id}/_void', target));
      } else if (result.code !== 'duplicate_transaction_id') throw new Error(JSON.stringify(result));
    }
    showProgress(name, Math.min(at + batchSize, receipts.length), receipts.length, began);
  }
  return stored;
}

/** The manager of the shop, created by the first run; undefined if e-mails are not written to the data folder. */
async function managerOf(
  shop: Shop,
  client: Client,
  { baseUrl, dataDir }: { readonly baseUrl: string; readonly dataDir: string },
): Promise<Manager | undefined> {
  const { managers = {} } = readFirstSteps(dataDir);
  const known = managers[shop.id];
  if (known) return known;
  const email = `manager@${shop.id}.example`;
  const manager = await inviteManager(client, email, { baseUrl, dataDir }).catch((error: Error) => {
    process.stderr.write(`${shop.name} has no manager: ${error.message}\n`);
    return undefined;
  });
  if (manager) addFirstSteps(dataDir, { managers: { ...managers, [shop.id]: manager } });
  return manager;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { count: { type: 'string' }, days: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return void process.stdout.write(usage);
  const count = Number(values.count ?? 20_000);
  const days = Number(values.days ?? 90);
  if (!(count > 0 && days > 0)) throw new Error(usage);
  const { dataDir } = readLocalSettings(process.env, process.cwd());
  const file = path.join(dataDir, 'demo-credentials.json');
  const { baseUrl, operator } = JSON.parse(readFileSync(file, 'utf8')) as DemoCredentials;
  const signIns: string[] = [];
  const asOperator = createReceiptsClient({ baseUrl, credential: { token: operator.token } });
  for (const shop of shops) {
    const client = await openShop(shop, baseUrl, asOperator);
    const stored = await post(
      shop.name,
      client,
      demoReceipts(shop, new Date(), days, Math.ceil(count / shops.length)),
    );
    for (let slip = 0; slip < failingSlips; slip++) {
      await dataOf(client.POST('/pos/receipts', unreadableSlip(slip)));
    }
    process.stdout.write(`${shop.name} (retailer "${shop.id}"): ${stored} new receipts\n`);
    const manager = await managerOf(shop, client, { baseUrl, dataDir });
    if (manager) signIns.push(`  ${manager.email}  password ${manager.password}  (${shop.name})`);
  }
  if (signIns.length === 0) return;
  const kept = path.join(path.relative(process.cwd(), dataDir), 'first-steps.json');
  process.stdout.write(`\nSign in at ${baseUrl}/portal/ (also in ${kept}):\n${signIns.join('\n')}\n`);
}

main().catch((error: NodeJS.ErrnoException) => {
  const hint = error.code === 'ENOENT' ? 'Run "npm start" first, and leave it running.' : error.message;
  process.stderr.write(`${hint}\n`);
  process.exitCode = 1;
});
