import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dataOf, type createReceiptsClient } from '@receipts/client';

/** A portal user who may do everything in the name of its retailer. */
export interface Manager {
  readonly email: string;
  readonly password: string;
}

const passwordBytes = 12;
const mailWithinMs = 10_000;
const pollMs = 50;

/** The tokens of the password links in all e-mails to the user. Only the latest token is valid. */
function tokensIn(mailDir: string, email: string): string[] {
  const mails = existsSync(mailDir) ? readdirSync(mailDir).filter((name) => name.endsWith('.eml')) : [];
  return mails.flatMap((name) => {
    const mail = readFileSync(path.join(mailDir, name), 'utf8');
    if (!mail.includes(`To: ${email}`)) return [];
    const text = mail.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    return /\/portal\/password\?token=([\w.-]+)/.exec(text)?.[1] ?? [];
  });
}

/** Follows the link in the e-mail as the user would, and chooses a random password. */
async function choosePassword(email: string, baseUrl: string, mailDir: string): Promise<string> {
  const password = randomBytes(passwordBytes).toString('base64url');
  const refused = new Set<string>();
  for (const until = Date.now() + mailWithinMs; Date.now() < until; await wait(pollMs)) {
    const token = tokensIn(mailDir, email).find((each) => !refused.has(each));
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, password, password_confirmation: password });
    const answer = await fetch(`${baseUrl}/portal/password`, { method: 'POST', body, redirect: 'manual' });
    if (answer.status === 303) return password;
    refused.add(token);
  }
  throw new Error(`no e-mail to ${email} arrived within ${mailWithinMs / 1000} s`);
}

/**
 * Creates a portal user in the group `managers` of the client's retailer, with a random password.
 * @throws Error if the platform rejects the user, or sends e-mails elsewhere than to its data folder
 */
export async function inviteManager(
  client: ReturnType<typeof createReceiptsClient>,
  email: string,
  { baseUrl, dataDir }: { readonly baseUrl: string; readonly dataDir: string },
): Promise<Manager> {
  const params = { path: { email } };
  const body = { group: 'managers', status: 'active' as const, send_password_reset_on_create: false };
  await dataOf(client.PUT('/portal/user/{email}', { params, body }));
  await dataOf(client.PATCH('/portal/user/{email}/_send_password_reset', { params }));
  return { email, password: await choosePassword(email, baseUrl, path.join(dataDir, 'mail')) };
}
