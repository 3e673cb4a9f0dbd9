import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiError, createReceiptsClient, dataOf, type paths } from '@receipts/client';
import { inviteManager, type Manager } from './invite-manager';
import type { DemoCredentials } from './provision';

/** The first things to show on a new platform: the page of a receipt, and a portal user of the demo retailer. */
export interface FirstSteps {
  /** The path of the page of the sample receipt. */
  readonly page: string;
  readonly user: Manager;
  /** True if this start created them. */
  readonly isNew: boolean;
}

type Client = ReturnType<typeof createReceiptsClient>;
type PostedReceipt = paths['/receipts']['post']['requestBody']['content']['application/json'];

interface Folders {
  readonly dataDir: string;
  readonly examples: string;
}

const email = 'manager@demo.example';

/** The path of the receipt's page. An earlier, interrupted start may already have stored the receipt. */
async function storeSample(client: Client, examples: string): Promise<string> {
  const body = JSON.parse(readFileSync(path.join(examples, 'receipts/sample.json'), 'utf8')) as PostedReceipt;
  const stored = await dataOf(client.POST('/receipts', { body })).catch((error: unknown) => {
    const isThere = error instanceof ApiError && error.code === 'duplicate_transaction_id';
    if (!isThere) throw error;
    return { id: String(error.body['id']) };
  });
  const params = { path: { id: stored.id } };
  const { _links: links } = await dataOf(client.GET('/receipts/{id}/links', { params }));
  return new URL(links.webview.href).pathname;
}

async function takeFirstSteps(
  { baseUrl, bearer }: DemoCredentials,
  { dataDir, examples }: Folders,
): Promise<Omit<FirstSteps, 'isNew'>> {
  const client = createReceiptsClient({ baseUrl, credential: { token: bearer.token } });
  const page = await storeSample(client, examples);
  return { page, user: await inviteManager(client, email, { baseUrl, dataDir }) };
}

/** What `first-steps.json` contains. Both `npm start` and `npm run demo` add to it. */
interface KeptSteps {
  readonly page?: string;
  readonly user?: Manager;
  /** The managers of the retailers that `npm run demo` adds, by retailer. */
  readonly managers?: Readonly<Record<string, Manager>>;
}

const fileIn = (dataDir: string) => path.join(dataDir, 'first-steps.json');

export function readFirstSteps(dataDir: string): KeptSteps {
  const file = fileIn(dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KeptSteps) : {};
}

/** The file contains passwords, so only its owner can read it. */
export function addFirstSteps(dataDir: string, steps: KeptSteps): void {
  const all = { ...readFirstSteps(dataDir), ...steps };
  writeFileSync(fileIn(dataDir), `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
}

/**
 * Stores a sample receipt and creates a portal user with a password, once per data folder. Both are kept in
 * `first-steps.json`.
 * @throws Error if the platform rejects one of them
 */
export async function firstSteps(credentials: DemoCredentials, folders: Folders): Promise<FirstSteps> {
  const kept = readFirstSteps(folders.dataDir);
  if (kept.page !== undefined && kept.user !== undefined)
    return { page: kept.page, user: kept.user, isNew: false };
  const taken = await takeFirstSteps(credentials, folders);
  addFirstSteps(folders.dataDir, taken);
  return { ...taken, isNew: true };
}
