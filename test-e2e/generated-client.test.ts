import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { bearerToken } from './harness/credentials';
import { request } from './harness/http';
import { uniqueId } from './harness/receipts';
import { aRetailer, sharedPlatform } from './harness/shared-platform';

const root = path.resolve(__dirname, '..');
/**
 * Integrators generate clients with tools of their choice, so the API description must work with another generator than
 * ours.
 */
const generator = path.join(path.dirname(require.resolve('@hey-api/openapi-ts/package.json')), 'bin/run.js');
const compiler = path.join(root, 'node_modules/@typescript/native/bin/tsc');
const run = promisify(execFile);
const boundMs = 120_000;
const { baseUrl } = sharedPlatform().credentials;

/** The first program with the generated client. The receipt is copied from the README. */
const program = (receipt: string) => `
import { createClient } from './client/client';
import { createReceipt, getReceipt, type PostedReceipt } from './client';

const body: PostedReceipt = ${receipt};

export async function postAndRead(baseUrl: string, token: string): Promise<number | undefined> {
  const client = createClient({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) });
  const posted = await createReceipt({ client, body, throwOnError: true });
  const read = await getReceipt({ client, path: { id: posted.data.id }, throwOnError: true });
  return read.data.total;
}
`;

const tsconfig = {
  compilerOptions: {
    strict: true,
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'dist',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'node16',
    moduleResolution: 'node16',
    types: [],
  },
  files: ['main.ts'],
};

/** @returns the compiler's messages, including those about generated code */
async function compile(folder: string): Promise<string> {
  const compiling = run(process.execPath, [compiler, '-p', folder]);
  return (await compiling.catch((error: { readonly stdout: string }) => error)).stdout;
}

it(
  "a client that @hey-api/openapi-ts generates compiles and posts the README's receipt",
  async () => {
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    const text = /\/receipts \\\n[\s\S]*?-d '(\{[\s\S]*?\})'\n/.exec(readme)?.[1] ?? '';
    const receipt = JSON.parse(text) as { transaction_id: string; total: number };
    const own = text.replace(receipt.transaction_id, uniqueId('generated'));
    const retailer = await aRetailer();
    const folder = mkdtempSync(path.join(os.tmpdir(), 'generated-client-'));
    try {
      writeFileSync(path.join(folder, 'package.json'), '{"type":"commonjs"}');
      writeFileSync(path.join(folder, 'openapi.json'), (await request(baseUrl, '/openapi.json')).bytes);
      const generate = ['-i', 'openapi.json', '-o', 'client', '-c', '@hey-api/client-fetch'];
      await run(process.execPath, [generator, ...generate], { cwd: folder });
      writeFileSync(path.join(folder, 'main.ts'), program(own));
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
      expect(await compile(folder)).toBe('');
      const script = `require('./dist/main.js').postAndRead(...process.argv.slice(1)).then(console.log)`;
      const token = bearerToken(retailer.bearer);
      const { stdout } = await run(process.execPath, ['-e', script, baseUrl, token], { cwd: folder });
      expect(Number(stdout)).toBe(receipt.total);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  boundMs,
);
