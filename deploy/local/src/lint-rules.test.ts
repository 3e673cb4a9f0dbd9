import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(__dirname, '../../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lint-rules-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The messages of a project rule about a line of code. */
function messagesOf(rule: string, code: string): string[] {
  const config = path.join(folder, 'oxlintrc.json');
  const plugin = path.join(root, 'deploy/local/lint/plugin.mjs');
  writeFileSync(config, JSON.stringify({ jsPlugins: [plugin], rules: { [`receipts/${rule}`]: 'error' } }));
  const file = path.join(folder, 'code.ts');
  writeFileSync(file, `${code}\n`);
  const oxlint = path.join(root, 'node_modules/.bin/oxlint');
  const { stdout } = spawnSync(oxlint, ['-c', config, '--format=json', file], { encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; message: string }[] };
  return diagnostics.flatMap(({ code: name, message }) => (name.includes(rule) ? [message] : []));
}

it.each([
  "log.error('failed', { error: error.message });",
  "log.warn('failed', { why: error?.stack });",
  "this.logger.info('failed', { name: (cause as Error).name });",
])('whole-errors-in-logs rejects %s', (code) => {
  expect(messagesOf('whole-errors-in-logs', code)).toEqual([
    'Pass the error itself to the log: `{ error }`.',
  ]);
});

it.each([
  "log.error('failed', { error });",
  "log.info('stored', { name: file.name });",
  "console.error('failed', { error: error.message });",
])('whole-errors-in-logs accepts %s', (code) => {
  expect(messagesOf('whole-errors-in-logs', code)).toEqual([]);
});
