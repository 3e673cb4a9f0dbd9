import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '@receipts/testing';
import { sharedPlatform } from './shared-platform';

/** The e-mails that the shared platform has sent to an address, as text. */
export function mailsTo(email: string): string[] {
  const folder = path.join(sharedPlatform().dataDir, 'mail');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .filter((mail) => mail.includes(`To: ${email}`))
    .map((mail) => mail.replaceAll('=\r\n', '').replaceAll('=3D', '='));
}

/** The path of the link in a user's invitation to the portal. */
export async function passwordLink(email: string): Promise<string> {
  const linkOf = (mail: string) =>
    /\/portal\/password\?token=[0-9a-f-]{36}\.[A-Za-z0-9_-]{43}/.exec(mail)?.[0];
  return until(`a link for ${email}`, () => mailsTo(email).map(linkOf).find(Boolean));
}
