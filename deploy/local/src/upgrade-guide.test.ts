import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { hasHelm, renderChart } from './render-chart';
import { serviceNames } from './service-names';

const root = path.resolve(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const blocks = [...read('docs/guides/upgrade.md').matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(
  ([, block = '']) => block,
);

interface Deployment {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: { readonly spec: { readonly containers: { image: string }[] } } };
}
const deploymentsIn = (text: string) =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Deployment | null)
    .filter((manifest) => manifest?.kind === 'Deployment') as Deployment[];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-upgrade-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the guide's block for this program, and returns the arguments of each call. */
function callsOf(program: string): string[][] {
  const found = blocks.filter((block) => new RegExp(`\\b${program} `).test(block));
  expect(found).toHaveLength(1);
  const file = path.join(folder, program);
  writeFileSync(file, '#!/bin/bash\n{ printf "%s\\t" "$@"; echo; } >> calls\n');
  chmodSync(file, 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  execFileSync('bash', ['-euc', found[0] ?? ''], { cwd: folder, env });
  const calls = readFileSync(path.join(folder, 'calls'), 'utf8').split('\n').filter(Boolean);
  return calls.map((line) => line.split('\t').slice(0, -1));
}

(hasHelm() ? it : it.skip)('keeps the gateway of the previous release until the others are replaced', () => {
  const tags = callsOf('helm').map((args) => {
    const [command, release, chart = '', ...options] = args;
    expect([command, release, existsSync(path.join(root, chart, 'Chart.yaml'))]).toEqual([
      'upgrade',
      'receipts',
      true,
    ]);
    expect(options).toContain('--wait');
    const values = options.flatMap((option, n) =>
      option === '--set' ? ['--set', options[n + 1] ?? ''] : [],
    );
    const required = ['settings.PUBLIC_URL=https://example.com', 'settings.MAIL_FROM=till@example.com'];
    const { text = '', error } = renderChart(...values, ...required.flatMap((value) => ['--set', value]));
    expect(error).toBe('');
    return Object.fromEntries(
      deploymentsIn(text).map(({ metadata, spec }) => [
        metadata.name,
        spec.template.spec.containers[0]?.image.split(':')[1],
      ]),
    );
  });
  const all = (tag: string) => Object.fromEntries(serviceNames.map((name) => [name, tag]));
  expect(tags).toEqual([{ ...all('1.1.0'), gateway: '1.0.0' }, all('1.1.0')]);
});

it('replaces every deployment of the manifests, the gateway last, and each once the one before is ready', () => {
  const calls = callsOf('kubectl').map((args) => args.join(' '));
  const deployments = deploymentsIn(read('deploy/kubernetes/receipts.yaml'));
  const [image = ''] = deployments[0]?.spec.template.spec.containers[0]?.image.split(':') ?? [];
  const replaced = calls
    .filter((call) => call.includes('set image'))
    .map((call) => /deployment\/(\S+)/.exec(call)?.[1]);
  expect([...replaced].sort()).toEqual(deployments.map(({ metadata }) => metadata.name).sort());
  expect(replaced.at(-1)).toBe('gateway');
  expect(calls).toEqual(
    replaced.flatMap((name) => [
      `-n receipts set image deployment/${name} *=${image}:1.1.0`,
      `-n receipts rollout status --timeout 30m deployment/${name}`,
    ]),
  );
});
