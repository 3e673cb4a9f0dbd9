import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { brokerAccess, createLogger } from '@receipts/host';
import { connectBroker } from '@receipts/messaging';
import { readProvisionConfig } from './config';
import { Provisioning, type RetailerDeclaration } from './provision-retailer';

const usage =
  'node services/admin/dist/provision.js --file <retailer.json> --out <credentials.json> --base-url <url>';

const closeGraceMs = 2_000;

function earlierToken(out: string): string | undefined {
  try {
    const { bearer } = JSON.parse(readFileSync(out, 'utf8')) as { bearer?: { token?: unknown } };
    return typeof bearer?.token === 'string' ? bearer.token : undefined;
  } catch {
    return undefined;
  }
}

/** The file contains secrets, so only its owner may read it. It is written atomically. */
function writeCredentials(out: string, credentials: object): void {
  mkdirSync(dirname(out), { recursive: true });
  const unfinished = `${out}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, out);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { file: { type: 'string' }, out: { type: 'string' }, 'base-url': { type: 'string' } },
  });
  const { file, out, 'base-url': baseUrl } = values;
  if (file === undefined || out === undefined || baseUrl === undefined) throw new Error(`usage: ${usage}`);
  const config = readProvisionConfig();
  const declaration = JSON.parse(readFileSync(file, 'utf8')) as RetailerDeclaration;
  const log = createLogger({ service: 'provision', level: config.LOG_LEVEL });
  const broker = await connectBroker({ ...brokerAccess(config), service: 'provision', log });
  try {
    const target = resolve(out);
    const credentials = await new Provisioning(broker, declaration).provision(earlierToken(target));
    const operator = { token: config.OPERATOR_TOKEN };
    writeCredentials(target, { baseUrl, retailer: declaration.retailer.id, ...credentials, operator });
  } finally {
    await broker.close({ graceMs: closeGraceMs });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
