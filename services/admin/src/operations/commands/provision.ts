import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readProvisionConfig } from '../../config';
import {
  Provisioning,
  type Mapping,
  type ProvisionedCredentials,
  type RetailerDeclaration,
} from './provision-retailer';

const usage =
  'node services/admin/dist/operations/commands/provision.js --file <retailer.json> --mappings <folder> --out <credentials.json> --base-url <url>';

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

function earlierCredentials(out: string): ProvisionedCredentials | undefined {
  try {
    return json(out) as ProvisionedCredentials;
  } catch {
    return undefined;
  }
}

/** The file contains secrets, so only its owner may read it. It is written atomically. */
function writeCredentials(out: string, credentials: object): void {
  mkdirSync(path.dirname(out), { recursive: true });
  const unfinished = `${out}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, out);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      file: { type: 'string' },
      mappings: { type: 'string' },
      out: { type: 'string' },
      'base-url': { type: 'string' },
    },
  });
  const { file, mappings: folder, out, 'base-url': baseUrl } = values;
  if (file === undefined || folder === undefined || out === undefined || baseUrl === undefined) {
    throw new Error(`usage: ${usage}`);
  }
  const { OPERATOR_TOKEN: token, BASE_URL: address = baseUrl } = readProvisionConfig();
  const declaration = json(file) as RetailerDeclaration;
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const mappings = files.sort().map((name) => json(path.join(folder, name)) as Mapping);
  const provisioning = new Provisioning(address, token, declaration);
  const { bearer, urlSignature } = await provisioning.provision(earlierCredentials(out), mappings);
  const retailer = declaration.retailer.id;
  writeCredentials(out, { baseUrl, retailer, bearer, urlSignature, operator: { token } });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
