import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '@receipts/testing';
import { realDisk, type Disk } from './disk';
import { JobQueue } from './job-queue';
import { resend } from './resend';

let folder: string;
let queue: JobQueue;
const lines: string[] = [];
const never = new AbortController().signal;
const open = (options: { jobsMax?: number; disk?: Disk } = {}) =>
  JobQueue.open({ folder, jobsMax: 10, log: (line) => void lines.push(line), ...options });

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'till-agent-queue-'));
  queue = await open();
});
afterEach(() => {
  queue.close();
  rmSync(folder, { recursive: true, force: true });
});

async function take(text: string, isPrinted = false, into = queue): Promise<number> {
  const job = into.begin();
  for (const character of text) await job.write(Buffer.from(character));
  return job.commit({ contentType: 'text/plain' }, { isPrinted });
}

async function textOf(number: number): Promise<string> {
  const job = await queue.read(number);
  const chunks: Buffer[] = [];
  for await (const chunk of job.read()) chunks.push(chunk);
  await job.close();
  return Buffer.concat(chunks).toString();
}

/** Removes all jobs and returns their texts, oldest first. */
async function drain(): Promise<string[]> {
  const texts: string[] = [];
  while (queue.length > 0) {
    const number = (await queue.oldest(never)) as number;
    texts.push(await textOf(number));
    await queue.accepted(number);
  }
  return texts;
}

/** Simulates a crash: another process opens the data on disk. */
async function reopen(): Promise<void> {
  queue.close();
  queue = await open();
}

it('returns jobs in order of arrival, even to the next process', async () => {
  for (const text of ['a', 'b', 'c']) await take(text);
  await reopen();
  await take('d');
  expect(await drain()).toEqual(['a', 'b', 'c', 'd']);
  expect(readdirSync(path.join(folder, 'queue'))).toEqual([]);
});

it('keeps the order when numbers get more digits', async () => {
  writeFileSync(path.join(folder, 'refused', '000000000999.job'), '');
  await reopen();
  for (const text of ['a', 'b']) await take(text);
  await reopen();
  expect(await queue.oldest(never)).toBe(1_000);
  expect(await drain()).toEqual(['a', 'b']);
});

it('removes an incomplete job completely after a crash', async () => {
  const job = queue.begin();
  await job.write(Buffer.from('half'));
  await reopen();
  expect(queue.length).toBe(0);
  expect(readdirSync(path.join(folder, 'incoming'))).toEqual([]);
  await job.discard();
});

it('accepts no more jobs than its maximum, and further jobs once there is space', async () => {
  queue.close();
  queue = await open({ jobsMax: 2 });
  const changes: unknown[] = [];
  queue.events.on('refusal', (refusal) => changes.push(refusal));
  const late = queue.begin();
  await late.write(Buffer.from('late'));
  await take('a');
  await take('b');
  expect(() => queue.begin()).toThrow('queue full');
  await expect(late.commit({ contentType: 'text/plain' }, { isPrinted: false })).rejects.toMatchObject({
    reason: 'queue_full',
  });
  await queue.accepted((await queue.oldest(never)) as number);
  await take('c');
  expect(changes).toEqual(['queue_full', undefined, 'queue_full']);
  expect(await drain()).toEqual(['b', 'c']);
});

describe('a full disk', () => {
  let room = 0;
  const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const disk: Disk = {
    ...realDisk,
    async write(handle, bytes) {
      if (room < bytes.length) throw full();
      room -= bytes.length;
      await realDisk.write(handle, bytes);
    },
  };
  const syncFails: Disk = { ...realDisk, sync: () => Promise.reject(full()) };

  it('rejects the job and all later jobs, keeps existing jobs, and accepts jobs once there is space', async () => {
    queue.close();
    room = 1_000_000;
    queue = await open({ disk });
    await take('a');
    room = 3;
    await expect(take('bcdefg')).rejects.toMatchObject({ reason: 'disk_full' });
    expect(queue.refusal).toBe('disk_full');
    expect(() => queue.begin()).toThrow('disk full');
    expect(readdirSync(path.join(folder, 'incoming'))).toEqual([]);
    room = 1_000_000;
    await until('room', () => queue.refusal === undefined);
    await take('h');
    expect(await drain()).toEqual(['a', 'h']);
  });

  it('does not accept a job whose bytes have not reached the disk', async () => {
    queue.close();
    queue = await open({ disk: syncFails });
    expect(queue.refusal).toBe('disk_full');
    queue.close();
    const disk = { ...realDisk };
    queue = await open({ disk });
    disk.sync = syncFails.sync;
    await expect(take('a')).rejects.toMatchObject({ reason: 'disk_full' });
    expect(queue.length).toBe(0);
    expect(readdirSync(path.join(folder, 'queue'))).toEqual([]);
  });
});

it('keeps a rejected job with its reason until it is sent again, after all others', async () => {
  const number = await take('a');
  await take('b');
  await queue.refuse(number, '422 schema_validation_failed; /total is required');
  const [job = ''] = [...queue.refused];
  expect(readFileSync(path.join(folder, 'refused', `${job}.reason.txt`), 'utf8')).toBe(
    '422 schema_validation_failed; /total is required\n',
  );
  await reopen();
  expect([...queue.refused]).toEqual([job]);
  expect(await resend(folder, ['other.job'])).toEqual([]);
  expect(await resend(folder, [])).toEqual([job]);
  expect(await queue.takeResent()).toBe(1);
  expect(queue.refused.size).toBe(0);
  expect(existsSync(path.join(folder, 'refused', `${job}.reason.txt`))).toBe(false);
  expect(await drain()).toEqual(['b', 'a']);
});

it('keeps a job to be printed until it is sent and printed, in either order', async () => {
  const [first, second] = [await take('a', true), await take('b', true)];
  await queue.printed(first);
  await reopen();
  expect([...queue.toPrint]).toEqual([second]);
  expect(await drain()).toEqual(['a', 'b']);
  await reopen();
  expect(queue.length).toBe(0);
  expect([...queue.toPrint]).toEqual([second]);
  expect(await textOf(second)).toBe('b');
  await queue.printed(second);
  expect(readdirSync(path.join(folder, 'queue'))).toEqual([]);
});

it('reports the ids of waiting and rejected jobs', async () => {
  const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  for (const id of ids) {
    const job = queue.begin(id);
    await job.write(Buffer.from('x'));
    await job.commit({ contentType: 'text/plain' }, { isPrinted: false });
  }
  await queue.refuse((await queue.oldest(never)) as number, 'no');
  for (const id of ids) expect(await queue.has(id)).toBe(true);
  expect(await queue.has('00000000-0000-4000-8000-000000000003')).toBe(false);
});

it('cannot read a job whose file is damaged', async () => {
  const number = await take('a');
  const [name = ''] = readdirSync(path.join(folder, 'queue'));
  writeFileSync(path.join(folder, 'damaged'), 'no job');
  renameSync(path.join(folder, 'damaged'), path.join(folder, 'queue', name));
  await expect(queue.read(number)).rejects.toThrow('damaged');
});
