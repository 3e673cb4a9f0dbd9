import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../../../..');

/** A Kubernetes manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // The fields of each kind are checked with the types of Kubernetes.
  readonly [field: string]: any;
}

const packages: Record<string, string> = {
  'keda.sh/v1alpha1': '@kubernetes-models/keda',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator',
};
const moduleOf = ({ apiVersion }: Manifest) => `${packages[apiVersion] ?? 'kubernetes-models'}/${apiVersion}`;

/** Checks manifests with the schemas of their kinds; a process of its own, since the package has only ES modules. */
const validation = `
const manifests = JSON.parse(process.argv[1]);
for (const { module, manifest } of manifests) {
  const Model = (await import(module))[manifest.kind];
  try { new Model(manifest).validate(); }
  catch (error) { console.log(manifest.kind + ' ' + manifest.metadata.name + ': ' + error.message); }
}`;

/** What the schemas of the manifests' kinds say about their values. */
export function schemaErrors(manifests: readonly Manifest[]): string {
  const input = manifests.map((manifest) => ({ module: moduleOf(manifest), manifest }));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', validation, JSON.stringify(input)],
    { encoding: 'utf8', cwd: root },
  );
  return `${stdout}${stderr}`;
}

/**
 * What the compiler says about the manifests as values of the types of Kubernetes; it also finds unknown fields.
 * @param dir a folder within the repository
 */
export function typeErrors(manifests: readonly Manifest[], dir: string): string {
  const lines = manifests.map(
    (manifest) =>
      `export const _: import('${moduleOf(manifest)}').I${manifest.kind} = ${JSON.stringify(manifest)};`,
  );
  const files = lines.map((line, index) => {
    writeFileSync(path.join(dir, `${index}.ts`), line);
    return path.join(dir, `${index}.ts`);
  });
  const tsc = path.join(root, 'node_modules/@typescript/native/bin/tsc');
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ];
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, '--types', '', ...files], {
    encoding: 'utf8',
  });
  return stdout;
}
