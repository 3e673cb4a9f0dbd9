import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openDataFolder } from './data-folder';

describe('openDataFolder', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(path.join(os.tmpdir(), 'receipts-folder-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  it('creates a folder that only its owner can access', async () => {
    const dir = path.join(parent, 'a', 'b');
    const folder = await openDataFolder(dir);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    await folder.release();
  });

  it('makes an existing folder accessible only to its owner', async () => {
    const folder = await openDataFolder(parent);
    expect(statSync(parent).mode & 0o077).toBe(0);
    await folder.release();
  });

  it('rejects a second process and names the first, even if it opens the folder by another path', async () => {
    const first = await openDataFolder(parent);
    const message = new RegExp(`Process ${process.pid} is already running a platform`);
    await expect(openDataFolder(parent)).rejects.toThrow(message);
    await expect(openDataFolder(`${parent}/x/..`)).rejects.toThrow(message);
    await first.release();
    await (await openDataFolder(parent)).release();
  });

  it("removes the platform's files, and the folder only if nothing else is in it", async () => {
    const dir = path.join(parent, 'data');
    const folder = await openDataFolder(dir);
    mkdirSync(path.join(dir, 'logs'));
    writeFileSync(path.join(dir, 'secrets.json'), '{}');
    writeFileSync(path.join(dir, 'notes.txt'), 'mine');
    expect(folder.remove()).toEqual(['notes.txt']);
    expect(readdirSync(dir)).toEqual(['notes.txt']);
    rmSync(path.join(dir, 'notes.txt'));
    expect(folder.remove()).toEqual([]);
    expect(existsSync(dir)).toBe(false);
    await folder.release();
  });

  it('takes over from a process that was killed', async () => {
    const script = `
      const net = require('node:net');
      const { createHash } = require('node:crypto');
      const name = 'receipts-' + createHash('sha256').update(require('node:fs').realpathSync(process.argv[1])).digest('hex').slice(0, 24);
      const address = process.platform === 'linux' ? '\\0' + name : require('node:path').join(require('node:os').tmpdir(), name + '.sock');
      net.createServer().listen({ path: address }, () => console.log('held'));`;
    const holder = spawn(process.execPath, ['-e', script, parent], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    await expect(openDataFolder(parent)).rejects.toThrow('already');
    const ended = new Promise((resolve) => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await ended;
    await (await openDataFolder(parent)).release();
  });
});
