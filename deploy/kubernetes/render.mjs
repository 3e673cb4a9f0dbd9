// Renders receipts.yaml from the Helm chart: `node deploy/kubernetes/render.mjs`. With `--check`, it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { renderChart } from '../local/dist/render-chart.js';

const file = path.join(path.dirname(fileURLToPath(import.meta.url)), 'receipts.yaml');
const isCheck = parseArgs({ options: { check: { type: 'boolean', default: false } } }).values.check;
const { text: manifests, error } = renderChart(
  '--set',
  'settings.PUBLIC_URL=https://receipts.example.com',
  '--set',
  'settings.MAIL_FROM=receipts@example.com',
);
if (manifests === undefined) {
  console.error(`Helm cannot render the chart. ${error}`);
  process.exit(1);
}
const text =
  '# Rendered from deploy/helm/receipts by `node deploy/kubernetes/render.mjs`; kustomization.yaml adapts it.\n' +
  manifests.replaceAll(/^# Source: .*\n/gm, '');
if (isCheck && readFileSync(file, 'utf8') !== text) {
  console.error('receipts.yaml differs from the chart: run node deploy/kubernetes/render.mjs');
  process.exit(1);
}
if (!isCheck) writeFileSync(file, text);
