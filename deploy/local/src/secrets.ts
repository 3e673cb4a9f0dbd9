import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Keys that belong to a data folder: lose them, and the credentials in its database cannot be opened any more. */
export interface Secrets {
  readonly masterKey: string;
  readonly idSecret: string;
  readonly operatorToken: string;
}

const keyBytes = 32;
const ownerOnly = 0o600;

/** Reads the keys of a data folder, or makes them the first time. */
export function secretsOf(dataDir: string): Secrets {
  const file = path.join(dataDir, 'secrets.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secrets: Secrets = {
    masterKey: randomBytes(keyBytes).toString('base64'),
    idSecret: randomBytes(keyBytes).toString('base64'),
    operatorToken: randomBytes(keyBytes).toString('base64url'),
  };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: ownerOnly });
  return secrets;
}
