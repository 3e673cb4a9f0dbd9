import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '@receipts/testing';
import { keepLogsSmall, rotateLogs } from './log-rotation';

describe('rotateLogs', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'receipts-logs-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('moves the contents of a log that is too large to a single older file, and leaves small logs alone', async () => {
    const large = path.join(dir, 'gateway.log');
    writeFileSync(large, 'old'.repeat(100));
    writeFileSync(path.join(dir, 'admin.log'), 'small');
    await rotateLogs(dir, 200);
    expect(statSync(large).size).toBe(0);
    expect(readFileSync(`${large}.1`, 'utf8')).toBe('old'.repeat(100));
    appendFileSync(large, 'new'.repeat(100));
    await rotateLogs(dir, 200);
    expect(readFileSync(`${large}.1`, 'utf8')).toBe('new'.repeat(100));
    expect(readdirSync(dir).sort()).toEqual(['admin.log', 'gateway.log', 'gateway.log.1']);
  });

  it('ignores a folder that does not exist yet', async () => {
    await rotateLogs(path.join(dir, 'none'), 1);
  });

  it('runs repeatedly until it is stopped', async () => {
    const log = path.join(dir, 'gateway.log');
    const end = keepLogsSmall(dir, { bytesMax: 100, everyMs: 10 });
    for (const text of ['first', 'second']) {
      appendFileSync(log, text.repeat(50));
      await until(`the log is small after the ${text}`, () => statSync(log).size === 0);
      expect(readFileSync(`${log}.1`, 'utf8')).toBe(text.repeat(50));
    }
    end();
    jest.useFakeTimers();
    const ended = keepLogsSmall(dir, { everyMs: 10 });
    expect(jest.getTimerCount()).toBe(1);
    ended();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});
