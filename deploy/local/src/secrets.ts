import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The secrets of a data folder. If they are lost, the credentials in its database cannot be decrypted. */
export interface Secrets {
  readonly masterKey: string;
  readonly idSecret: string;
  readonly operatorToken: string;
  /** The password of the private broker's only user. */
  readonly brokerPassword: string;
  /** The password of the embedded MongoDB's only user. */
  readonly storePassword: string;
  /** The prefix of the names of all queues, exchanges and databases of this platform. */
  readonly platform: string;
}

const keyBytes = 32;
const ownerOnly = 0o600;

/**
 * Derived from machine and folder, so that a start recognizes data that was left on a shared broker when the data
 * folder was deleted.
 */
function nameOf(dataDir: string): string {
  const place = `${os.hostname()} ${path.resolve(dataDir)}`;
  return `receipts-${createHash('sha256').update(place).digest('hex').slice(0, 6)}`;
}

const fileIn = (dataDir: string) => path.join(dataDir, 'secrets.json');

function read(dataDir: string): Secrets | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Secrets;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The prefix of the platform of a data folder, even if the folder was deleted. */
export function platformOf(dataDir: string): string {
  return read(dataDir)?.platform ?? nameOf(dataDir);
}

/** Reads the secrets of a data folder, or generates them. */
export function secretsOf(dataDir: string): Secrets {
  const kept = read(dataDir);
  if (kept) return kept;
  const random = (encoding: BufferEncoding) => randomBytes(keyBytes).toString(encoding);
  const secrets: Secrets = {
    masterKey: random('base64'),
    idSecret: random('base64'),
    operatorToken: random('base64url'),
    brokerPassword: random('base64url'),
    storePassword: random('base64url'),
    platform: nameOf(dataDir),
  };
  const temporary = `${fileIn(dataDir)}.new`;
  writeFileSync(temporary, `${JSON.stringify(secrets, null, 2)}\n`, { mode: ownerOnly });
  renameSync(temporary, fileIn(dataDir));
  return secrets;
}
