import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The secrets of a data folder. Without them the credentials in its database cannot be decrypted. */
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
/** The prefix of older data folders, whose secrets do not contain one. */
const firstName = 'receipts';

function nameOf(dataDir: string): string {
  return `${firstName}-${createHash('sha256').update(path.resolve(dataDir)).digest('hex').slice(0, 6)}`;
}

function read(file: string): Partial<Secrets> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads the secrets of a data folder, and generates missing ones. */
export function secretsOf(dataDir: string): Secrets {
  const file = path.join(dataDir, 'secrets.json');
  const kept = read(file);
  const random = (encoding: BufferEncoding) => randomBytes(keyBytes).toString(encoding);
  const secrets: Secrets = {
    masterKey: random('base64'),
    idSecret: random('base64'),
    operatorToken: random('base64url'),
    brokerPassword: random('base64url'),
    storePassword: random('base64url'),
    platform: kept === undefined ? nameOf(dataDir) : firstName,
    ...kept,
  };
  if (Object.keys(kept ?? {}).length < Object.keys(secrets).length) {
    const temporary = `${file}.new`;
    writeFileSync(temporary, `${JSON.stringify(secrets, null, 2)}\n`, { mode: ownerOnly });
    renameSync(temporary, file);
  }
  return secrets;
}
