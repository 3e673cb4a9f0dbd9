// Renders receipts.yaml from the Helm chart: `node deploy/kubernetes/render.mjs`. With `--check`, it only compares.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const file = path.join(root, 'deploy/kubernetes/receipts.yaml');
const isCheck = parseArgs({ options: { check: { type: 'boolean', default: false } } }).values.check;
/** The package contains Helm for Linux only; elsewhere, an installed Helm is used. */
const packaged = path.join(root, 'node_modules/.bin/helm');

const settings = {
  PUBLIC_URL: 'https://receipts.example.com',
  MAIL_FROM: 'receipts@example.com',
};
const { status, stdout, stderr, error } = spawnSync(
  existsSync(packaged) ? packaged : 'helm',
  [
    ...['template', 'receipts', path.join(root, 'deploy/helm/receipts'), '--kube-version', '1.30.0'],
    ...Object.entries(settings).flatMap(([name, value]) => ['--set', `settings.${name}=${value}`]),
  ],
  { encoding: 'utf8' },
);
if (error) {
  console.log('Skipped: there is no helm on the PATH.');
  process.exit(isCheck ? 0 : 1);
}
if (status !== 0) {
  console.error(stderr);
  process.exit(1);
}
const text =
  '# Rendered from deploy/helm/receipts by `node deploy/kubernetes/render.mjs`; kustomization.yaml adapts it.\n' +
  stdout.replaceAll(/^# Source: .*\n/gm, '');
if (isCheck && readFileSync(file, 'utf8') !== text) {
  console.error('receipts.yaml differs from the chart: run node deploy/kubernetes/render.mjs');
  process.exit(1);
}
if (!isCheck) writeFileSync(file, text);
