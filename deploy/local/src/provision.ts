import { execFile } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { startTimeoutMs } from './owned-process';

const root = path.resolve(__dirname, '../../..');

/** The contents of `demo-credentials.json`. */
export interface DemoCredentials {
  readonly baseUrl: string;
  readonly retailer: string;
  readonly bearer: { readonly kid: string; readonly secret: string; readonly token: string };
  readonly urlSignature: { readonly key: string; readonly secret: string };
  readonly operator: { readonly token: string };
  readonly broker: { readonly url: string; readonly exchange: string; readonly isPrivate: boolean };
  /** For commands that read or write the databases directly; the names of all databases begin with the platform's. */
  readonly database: { readonly uri: string; readonly platform: string; readonly isPrivate: boolean };
}

interface Provisioning {
  readonly credentialsFile: string;
  readonly baseUrl: string;
  readonly operatorToken: string;
  readonly signal: AbortSignal | undefined;
}

/** Creates the demo retailer with its mappings, and writes its credentials. Existing objects are not changed. */
export async function provisionDemo(provisioning: Provisioning): Promise<void> {
  const { credentialsFile, baseUrl, operatorToken, signal } = provisioning;
  const examples = path.join(root, 'deploy/examples');
  const args = [
    path.join(root, 'services/admin/dist/operations/commands/provision.js'),
    '--file',
    path.join(examples, 'retailers/demo.json'),
    '--mappings',
    path.join(examples, 'mappings'),
    '--out',
    credentialsFile,
    '--base-url',
    baseUrl,
  ];
  // The certificate of the API need not be valid for the loopback address.
  const env = { OPERATOR_TOKEN: operatorToken, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };
  const options = { env, timeout: startTimeoutMs, ...(signal && { signal }) };
  await promisify(execFile)(process.execPath, args, options);
}

/**
 * Adds the addresses of broker and database to the credentials, for integrators. The ports of private servers change
 * with each start.
 */
export function addServers(file: string, servers: Pick<DemoCredentials, 'broker' | 'database'>): void {
  const credentials = JSON.parse(readFileSync(file, 'utf8')) as DemoCredentials;
  const temporary = `${file}.new`;
  writeFileSync(temporary, `${JSON.stringify({ ...credentials, ...servers }, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}
