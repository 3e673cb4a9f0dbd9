import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { serviceNames, type Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt } from '../harness/receipts';
import { isBrokenConnection } from '../harness/traffic';

const backupCli = path.resolve(__dirname, '../../services/admin/dist/operations/commands/backup.js');
const readyTimeoutMs = 30_000;
const version2 = { 'service-api-version': '2' };

describe('a platform that is restored from a backup', () => {
  const folder = path.join(mkdtempSync(path.join(os.tmpdir(), 'receipts-backup-')), 'saved');
  let platform: Platform;
  let retailer: TestRetailer;

  beforeAll(async () => {
    platform = await ownPlatform();
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
  });
  afterAll(async () => {
    await discard(platform);
    rmSync(path.dirname(folder), { recursive: true, force: true });
  });

  const backup = (command: 'save' | 'restore') =>
    promisify(execFile)(process.execPath, [backupCli, command, folder], {
      env: { ...process.env, MONGODB_URI: platform.database.uri, RESOURCE_PREFIX: platform.name },
    });

  const post = async (): Promise<string> => {
    const answer = await retailer.api.post('/receipts', aReceipt());
    expect(answer.status).toBe(201);
    return answer.body.id as string;
  };
  const postSome = (count: number) => Promise.all(Array.from({ length: count }, post));

  /** The `newer` link in the list, for a client that has read everything so far. */
  const newerLink = async () =>
    (await retailer.api.get('/receipts', {}, version2)).body._links.newer.href as string;

  /** Follows the feed until it has returned this many events. Resolves to their subjects and the next cursor. */
  const readFeed = async (start: string, count: number) => {
    const subjects: string[] = [];
    let href = start;
    await until(
      `${count} events`,
      async () => {
        const { status, body } = await retailer.api.get(href);
        expect(status).toBe(200);
        subjects.push(...body.events.map(({ subject }: { subject: string }) => subject));
        href = body._links.next.href as string;
        return subjects.length >= count;
      },
      readyTimeoutMs,
    );
    return { subjects, href };
  };

  const readNewer = async (start: string) => {
    const ids: string[] = [];
    for (let href = start; ;) {
      const { status, body } = await retailer.api.get(href, undefined, version2);
      expect(status).toBe(200);
      ids.push(...body.receipts.map(({ id }: { id: string }) => id).reverse());
      if (!('prev' in body._links)) return ids;
      href = body._links.newer.href as string;
    }
  };

  const stopServices = async () => {
    for (const name of serviceNames) await Promise.all(platform.instances(name).map((child) => child.stop()));
  };
  const startServices = () =>
    Promise.all(serviceNames.flatMap((name) => platform.instances(name)).map((child) => child.start()));

  const loseEverything = async () => {
    const client = await MongoClient.connect(platform.database.uri);
    try {
      const prefix = `${platform.name.replaceAll('-', '_')}_`;
      const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
      const names = databases.map(({ name }) => name).filter((name) => name.startsWith(prefix));
      expect(names.length).toBeGreaterThan(1);
      for (const name of names) await client.db(name).dropDatabase();
    } finally {
      await client.close();
    }
  };

  const isServing = async () => {
    try {
      return (await retailer.api.get('/receipts', { count: 1 })).status === 200;
    } catch (error) {
      if (!isBrokenConnection(error)) throw error;
      return false;
    }
  };

  it('continues for readers from before the backup, and rejects cursors of lost data', async () => {
    const feed = (await retailer.api.get('/events', { types: 'receipt.created' })).body._links.next.href;
    await postSome(5);
    const newerAtBackup = await newerLink();
    const saved = await readFeed(feed as string, 5);
    expect(JSON.parse((await backup('save')).stdout).documents).toBeGreaterThan(0);
    expect(existsSync(path.join(folder, 'manifest.json'))).toBe(true);

    const lost = await postSome(15);
    const newerOfLost = await newerLink();
    const feedOfLost = (await readFeed(saved.href, lost.length)).href;

    await stopServices();
    await loseEverything();
    await backup('restore');
    await startServices();
    await until('the platform to serve', isServing, readyTimeoutMs);

    // As many as were lost, so that they take the same positions in the list and in the feed.
    const posted = await postSome(lost.length);
    expect(new Set(await readNewer(newerAtBackup))).toEqual(new Set(posted));
    expect(new Set((await readFeed(saved.href, posted.length)).subjects)).toEqual(new Set(posted));

    const refused = [
      await retailer.api.get(newerOfLost, undefined, version2),
      await retailer.api.get(feedOfLost),
      await retailer.api.get('/receipts', { newer: lost.at(-1) as string }),
    ].map(({ status, body }) => [status, body.code]);
    expect(refused).toEqual([
      [400, 'unknown_cursor'],
      [410, 'cursor_expired'],
      [400, 'unknown_cursor'],
    ]);
  });
});
