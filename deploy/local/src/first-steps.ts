import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, createReceiptsClient, dataOf, type paths } from '@receipts/client';
import type { DemoCredentials } from './provision';

/** The first things to show on a new platform: the page of a receipt, and a portal user of the demo retailer. */
export interface FirstSteps {
  /** The path of the page of the sample receipt. */
  readonly page: string;
  readonly user: { readonly email: string; readonly password: string };
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
const passwordBytes = 12;
const mailWithinMs = 10_000;
const pollMs = 50;

/** The tokens of the password links in all e-mails to the user. Only the latest token is valid. */
function tokensIn(mailDir: string): string[] {
  const mails = existsSync(mailDir) ? readdirSync(mailDir).filter((name) => name.endsWith('.eml')) : [];
  return mails.flatMap((name) => {
    const mail = readFileSync(path.join(mailDir, name), 'utf8');
    if (!mail.includes(`To: ${email}`)) return [];
    const text = mail.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    return /\/portal\/password\?token=([\w.-]+)/.exec(text)?.[1] ?? [];
  });
}

/** Follows the link in the e-mail as the user would, and chooses a random password. */
async function choosePassword(baseUrl: string, mailDir: string): Promise<string> {
  const password = randomBytes(passwordBytes).toString('base64url');
  const refused = new Set<string>();
  for (const until = Date.now() + mailWithinMs; Date.now() < until; await wait(pollMs)) {
    const token = tokensIn(mailDir).find((each) => !refused.has(each));
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, password, password_confirmation: password });
    const answer = await fetch(`${baseUrl}/portal/password`, { method: 'POST', body, redirect: 'manual' });
    if (answer.status === 303) return password;
    refused.add(token);
  }
  throw new Error(`no e-mail to ${email} arrived within ${mailWithinMs / 1000} s`);
}

async function createUser(client: Client): Promise<void> {
  const params = { path: { email } };
  const body = { group: 'managers', status: 'active' as const, send_password_reset_on_create: false };
  await dataOf(client.PUT('/portal/user/{email}', { params, body }));
  await dataOf(client.PATCH('/portal/user/{email}/_send_password_reset', { params }));
}

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
  await createUser(client);
  const page = await storeSample(client, examples);
  const password = await choosePassword(baseUrl, path.join(dataDir, 'mail'));
  return { page, user: { email, password } };
}

/**
 * Stores a sample receipt and creates a portal user with a password, once per data folder. The receipt's path, and the
 * user's address and password, are written to `first-steps.json`, which only its owner can read.
 * @throws Error if the platform rejects one of them
 */
export async function firstSteps(credentials: DemoCredentials, folders: Folders): Promise<FirstSteps> {
  const file = path.join(folders.dataDir, 'first-steps.json');
  if (existsSync(file)) {
    const taken = JSON.parse(readFileSync(file, 'utf8')) as Omit<FirstSteps, 'isNew'>;
    return { ...taken, isNew: false };
  }
  const taken = await takeFirstSteps(credentials, folders);
  writeFileSync(file, `${JSON.stringify(taken, null, 2)}\n`, { mode: 0o600 });
  return { ...taken, isNew: true };
}
