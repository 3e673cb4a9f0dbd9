import { readFileSync } from 'node:fs';
import path from 'node:path';
import { schedule } from './schedule';

const now = new Date('2026-05-17T10:00:00Z');
const secondsUntil = (at: Date | undefined) => at && (at.getTime() - now.getTime()) / 1_000;

it('schedules an attempt after each pause', () => {
  const { nextAt } = schedule([5, 300], () => 0);
  expect([1, 2, 3].map((attempts) => secondsUntil(nextAt(attempts, now, undefined)))).toEqual([
    5,
    300,
    undefined,
  ]);
});

it('delays attempts by at most a tenth because of jitter, and never makes them earlier', () => {
  const { nextAt } = schedule([100], () => 0.9999);
  expect(secondsUntil(nextAt(1, now, undefined))).toBeCloseTo(110, 1);
});

it('lengthens a pause to Retry-After, up to a day, and never shortens it', () => {
  const { nextAt } = schedule([100], () => 0);
  expect(secondsUntil(nextAt(1, now, 500_000))).toBe(500);
  expect(secondsUntil(nextAt(1, now, 1_000))).toBe(100);
  expect(secondsUntil(nextAt(1, now, 1e12))).toBe(86_400);
});

it('retries by default for as long as the guide promises', () => {
  const root = path.resolve(__dirname, '../../../../..');
  const settings = readFileSync(path.join(root, 'docs/settings.md'), 'utf8');
  const [, pauses = ''] = /`WEBHOOK_RETRY_SECONDS` \| `"([\d,]+)"`/.exec(settings) ?? [];
  const seconds = pauses.split(',').reduce((sum, pause) => sum + Number(pause), 0);
  const hours = Math.floor(seconds / 3_600);
  expect(hours).toBeGreaterThan(0);
  expect(readFileSync(path.join(root, 'docs/guides/follow-events.md'), 'utf8')).toContain(
    `retries for at least ${hours} hours`,
  );
});
