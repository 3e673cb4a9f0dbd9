import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Child } from './child';
import { startTimeoutMs } from './owned-process';

const folder = mkdtempSync(path.join(os.tmpdir(), 'child-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => jest.useRealTimers());

it('ends a process that is not ready in time, so that it does not run beside the next one', async () => {
  const script = path.join(folder, 'never-ready.js');
  writeFileSync(script, 'setInterval(() => {}, 1_000);');
  const child = new Child({ name: 'never-ready', script, env: process.env, logDir: folder });
  jest.useFakeTimers();
  const failure = expect(child.start()).rejects.toThrow('never-ready: the start took longer than');
  jest.advanceTimersByTime(startTimeoutMs);
  await failure;
  const isRunning = child.running;
  await child.kill();
  expect(isRunning).toBe(false);
});
