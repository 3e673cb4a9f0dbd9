import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../../..');
const chart = path.join(root, 'deploy/helm/receipts');
/** The package contains Helm for Linux only; elsewhere, an installed Helm is used. */
const packaged = path.join(root, 'node_modules/.bin/helm');
const helm = existsSync(packaged) ? packaged : 'helm';

/** Whether there is a Helm to render the chart with. */
export function hasHelm(): boolean {
  return spawnSync(helm, ['version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Renders the Helm chart; `text` is the manifests, or undefined with Helm's complaint in `error`.
 * @param options of `helm template`, such as `--values` and a file
 */
export function renderChart(...options: readonly string[]): {
  readonly text?: string;
  readonly error: string;
} {
  const args = ['template', 'receipts', chart, '--kube-version', '1.30.0', ...options];
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' });
  return status === 0 ? { text: stdout, error: '' } : { error: stderr };
}
