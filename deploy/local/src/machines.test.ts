import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rabbitServerPath } from '@receipts/testing';
import { installHint } from './install-hint';

const root = path.resolve(__dirname, '../../..');

/** Runs the bootstrap that precedes every command, with a faked property of `process`. */
function bootstrapOn(property: 'platform' | 'versions', value: unknown) {
  const script =
    `Object.defineProperty(process, '${property}', { value: ${JSON.stringify(value)} });` +
    "import('./deploy/local/bootstrap.mjs').then(({ bootstrap }) => bootstrap('platform'));";
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: root });
  return { status, said: `${stdout}${stderr}` };
}

it('tells Windows users about alternatives before it installs anything', () => {
  const { status, said } = bootstrapOn('platform', 'win32');
  expect([status, said]).toEqual([1, 'Windows: use WSL, or "docker compose up --build".\n']);
});

it('tells users of an old Node version which version is required before it installs anything', () => {
  const { status, said } = bootstrapOn('versions', { ...process.versions, node: '18.20.0' });
  expect(status).toBe(1);
  expect(said).toMatch(/^Node 22 or 24 is required \(20\.19 also works\); this is 18\.20\.0\.\n$/);
});

it('accepts the releases of Node with long-term support, as required by the packages and the image', () => {
  const versions = ['18.20.8', '20.18.3', '20.19.0', '21.7.0', '22.0.0', '22.12.0', '24.1.0', '25.0.0'];
  const script =
    "import('./deploy/local/bootstrap.mjs').then(({ refusalOn }) => console.log(JSON.stringify(" +
    `${JSON.stringify(versions)}.map((node) => refusalOn({ platform: 'linux', versions: { node } }) === undefined))));`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual([false, false, true, false, false, true, true, true]);
  for (const folder of ['.', 'libs/client', 'deploy/till-agent']) {
    const { engines } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    expect(engines.node).toBe('^22.12 || >=24 || ^20.19');
  }
  const bases = readFileSync(path.join(root, 'deploy/docker/Dockerfile'), 'utf8').matchAll(
    /^FROM node:(\d+)-/gm,
  );
  const majors = [...bases].map(([, major]) => Number(major));
  // Releases with long-term support, which have even numbers.
  expect(majors.length > 0 && majors.every((major) => major >= 22 && major % 2 === 0)).toBe(true);
});

it("finds Homebrew's RabbitMQ on a Mac with either kind of processor", () => {
  for (const prefix of ['/opt/homebrew', '/usr/local']) {
    const file = `${prefix}/opt/rabbitmq/sbin/rabbitmq-server`;
    expect(rabbitServerPath('', (candidate) => candidate === file)).toBe(file);
  }
  expect(rabbitServerPath('', () => false)).toBeUndefined();
});

describe('a RabbitMQ on the PATH', () => {
  let dir: string;
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'receipts-path-')));
    for (const folder of ['unpacked', 'linked', 'wrapped']) mkdirSync(path.join(dir, folder));
    for (const name of ['rabbitmq-server', 'rabbitmq-env', 'rabbitmq-script-wrapper']) {
      writeFileSync(path.join(dir, 'unpacked', name), '');
    }
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const at = (...names: string[]) => path.join(dir, ...names);
  const pathOf = (...folders: string[]) => ['', '/nowhere', ...folders].join(path.delimiter);

  it('is found anywhere, takes precedence over that of a package, and is resolved through a link', () => {
    const server = at('unpacked', 'rabbitmq-server');
    symlinkSync(server, at('linked', 'rabbitmq-server'));
    expect(rabbitServerPath(pathOf(at('unpacked')), () => true)).toBe(server);
    expect(rabbitServerPath(pathOf(at('linked')), () => false)).toBe(server);
  });

  it("is skipped if it is Debian's wrapper or a shim; the package or the next server is used instead", () => {
    symlinkSync(at('unpacked', 'rabbitmq-script-wrapper'), at('wrapped', 'rabbitmq-server'));
    writeFileSync(at('linked', 'rabbitmq-server'), '');
    const packaged = '/usr/lib/rabbitmq/bin/rabbitmq-server';
    const folders = [at('wrapped'), at('linked')];
    expect(rabbitServerPath(pathOf(...folders), (file) => file === packaged)).toBe(packaged);
    expect(rabbitServerPath(pathOf(...folders), () => false)).toBeUndefined();
    expect(rabbitServerPath(pathOf(...folders, at('unpacked')), () => false)).toBe(
      at('unpacked', 'rabbitmq-server'),
    );
  });
});

it('shows the command for this machine if RabbitMQ is missing', () => {
  expect(installHint('darwin')).toBe('brew install rabbitmq');
  expect(installHint('linux')).toBe('sudo apt-get install -y rabbitmq-server');
});
