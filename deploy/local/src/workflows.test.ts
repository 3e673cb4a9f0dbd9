import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';

const root = path.resolve(__dirname, '../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

interface Step {
  readonly run?: string;
  readonly uses?: string;
}
interface Workflow {
  readonly jobs: Record<
    string,
    { readonly steps?: Step[]; readonly uses?: string; readonly needs?: unknown }
  >;
}
const workflows = readdirSync(path.join(root, '.github/workflows'));
const workflow = (name: string) => parse(read(`.github/workflows/${name}`)) as Workflow;
const stepsOf = (name: string) => Object.values(workflow(name).jobs).flatMap(({ steps = [] }) => steps);

describe.each(workflows)('%s', (name) => {
  it('runs only executable scripts of the repository', () => {
    expect(stepsOf(name).length).toBeGreaterThan(0);
    for (const { run } of stepsOf(name)) {
      if (run === undefined) continue;
      const [, script = ''] = /^(\.ci\/[a-z-]+)(?: [^\n;|&]*)?\n?$/.exec(run) ?? [];
      expect([run, script]).not.toEqual([run, '']);
      expect(() => accessSync(path.join(root, script), constants.X_OK)).not.toThrow();
    }
  });

  it('pins each action by its digest, and names the version', () => {
    const lines = read(`.github/workflows/${name}`)
      .split('\n')
      .filter((line) => /uses: (?!\.\/)/.test(line));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});

it('publishes nothing before all jobs of CI have passed', () => {
  const { jobs } = workflow('release.yml');
  expect(jobs['ci']?.uses).toBe('./.github/workflows/ci.yml');
  const waitsForTests = (name: string): boolean =>
    name === 'ci' || [jobs[name]?.needs ?? []].flat().some((needed) => waitsForTests(String(needed)));
  const publishing = Object.keys(jobs).filter((name) => !['check', 'ci'].includes(name));
  expect(publishing.length).toBeGreaterThan(3);
  for (const name of publishing) expect([name, waitsForTests(name)]).toEqual([name, true]);
});

it('tests the supported versions of Node.js, those with long-term support first', () => {
  const text = read('.github/workflows/ci.yml');
  const [, list = ''] = /node: \[(.*)\]/.exec(text) ?? [];
  expect(list.split(', ').map(Number)).toEqual([22, 24, 20]);
});

/** Runs a script with recording stand-ins for the programs that need Docker or a registry. */
describe('.ci', () => {
  /** What a script would otherwise install on this machine. */
  const installed = { prometheus: '', 'apt-get': '', sudo: '' };
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'receipts-ci-'));
    mkdirSync(path.join(dir, 'bin'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function run(script: string, args: readonly string[], programs: Record<string, string>) {
    for (const [name, body] of Object.entries({ ...installed, ...programs })) {
      const file = path.join(dir, 'bin', name);
      writeFileSync(file, `#!/usr/bin/env bash\necho "${name} $*" >>"${dir}/calls"\n${body}\n`);
      chmodSync(file, 0o755);
    }
    const { status, stderr } = spawnSync(path.join(root, '.ci', script), args, {
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${dir}/bin:${process.env['PATH']}`,
        TOKEN: 'secret',
        GITHUB_ACTOR: 'someone',
        GITHUB_SHA: 'abc',
        GITHUB_OUTPUT: `${dir}/output`,
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'receipts/receipt-platform',
        VERIFY_ATTEMPTS: '1',
      },
    });
    const calls = readFileSync(path.join(dir, 'calls'), 'utf8').trimEnd().split('\n');
    return { status, stderr, calls: calls.filter((call) => !/^(apt-get|sudo) /.test(call)) };
  }
  const indexOf = (calls: readonly string[], part: string) => calls.findIndex((call) => call.includes(part));

  describe('verify', () => {
    it('verifies the platform on the given versions, and removes the servers', () => {
      const { status, calls } = run('verify', ['8.0', '4.3'], { docker: '', npm: '' });
      expect(status).toBe(0);
      const initiated = indexOf(calls, 'rs.initiate');
      const verified = indexOf(
        calls,
        'npm run verify -- --mongodb mongodb://127.0.0.1:27017/?replicaSet=rs0',
      );
      expect(calls.find((call) => call.includes('mongo:8.0 --replSet rs0'))).toContain(
        'ttlMonitorEnabled=false',
      );
      expect(indexOf(calls, 'rabbitmq:4.3-management')).toBeGreaterThan(0);
      expect(initiated).toBeGreaterThan(indexOf(calls, 'mongo:8.0'));
      expect(verified).toBeGreaterThan(indexOf(calls, 'check_port_connectivity'));
      expect(verified).toBeGreaterThan(initiated);
      expect(calls.at(-1)).toBe('docker rm --force receipts-ci-mongodb receipts-ci-rabbitmq');
    });

    it('fails if the platform fails, and still removes the servers', () => {
      const { status, calls } = run('verify', ['8.0', '4.3'], { docker: '', npm: 'exit 1' });
      expect(status).toBe(1);
      expect(calls.at(-1)).toContain('docker rm --force');
    });

    it('says which server never became ready', () => {
      const docker = '[[ "$*" != *check_port* ]]';
      const { status, stderr, calls } = run('verify', ['8.0', '4.3'], { docker, npm: '' });
      expect([status, stderr]).toEqual([1, expect.stringContaining('check_port_connectivity')]);
      expect(indexOf(calls, 'npm')).toBe(-1);
    });

    it('needs Docker', () => {
      const { status, stderr } = run('verify', ['8.0', '4.3'], { docker: 'exit 1' });
      expect([status, stderr]).toEqual([1, 'Docker is not running.\n']);
    });
  });

  describe('upgrade', () => {
    it.each([
      [[], 'npm run chaos -- --only upgrade'],
      [['v1.0.0'], 'npm run chaos -- --only upgrade --from v1.0.0'],
    ])('upgrades from the release %j', (args, call) => {
      const { status, calls } = run('upgrade', args, { npm: '' });
      expect([status, calls]).toEqual([0, [call]]);
    });
  });

  describe('release', () => {
    const buildx = `
      while [ $# -gt 0 ]; do
        if [ "$1" = --metadata-file ]; then echo '{"containerimage.digest":"sha256:1234"}' >"$2"; fi
        shift
      done`;
    const programs = { docker: buildx, helm: '', npm: '', gh: '' };
    const { repository } = parse(read('deploy/helm/receipts/values.yaml')).image;

    it('pushes the image that the chart names, and reports its digest', () => {
      const { status, calls } = run('release', ['image', '1.2.0'], programs);
      expect(status).toBe(0);
      expect(calls[1]).toContain(`--tag ${repository}:1.2.0 --tag ${repository}:latest `);
      expect(readFileSync(path.join(dir, 'output'), 'utf8')).toBe(`name=${repository}\ndigest=sha256:1234\n`);
    });

    it('does not move `latest` for a pre-release, neither of the image nor of the packages', () => {
      run('release', ['image', '1.2.0-rc.1'], programs);
      run('release', ['packages', '1.2.0-rc.1'], programs);
      const { calls } = run('release', ['packages', '1.2.0'], programs);
      expect(calls[1]).toContain(`--tag ${repository}:1.2.0-rc.1 `);
      expect(calls[1]).not.toContain('latest');
      const published = calls.filter((call) => call.startsWith('npm publish'));
      expect(published.map((call) => call.slice(call.indexOf('--tag')))).toEqual([
        '--tag next',
        '--tag latest',
      ]);
    });

    it('pushes the chart with the version of the image', () => {
      const { status, calls } = run('release', ['chart', '1.2.0'], programs);
      expect(status).toBe(0);
      expect(calls[1]).toContain('helm package deploy/helm/receipts --version 1.2.0 --app-version 1.2.0');
      expect(calls[2]).toMatch(
        new RegExp(`^helm push .*/receipts-1\\.2\\.0\\.tgz oci://${repository}/charts$`),
      );
    });

    it('creates a release only for the version of the repository', () => {
      const { version } = JSON.parse(read('package.json'));
      expect(run('release', ['notes', version], programs).calls.at(-1)).toMatch(
        /^gh release create v.* --latest$/,
      );
      const other = run('release', ['notes', '99.0.0'], programs);
      expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('not 99.0.0')]);
      expect(other.calls).toHaveLength(1);
    });
  });
});
