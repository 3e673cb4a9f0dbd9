import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Platform, ServiceName } from '@receipts/local';
import { crashAt, crashEnvironment, points } from '../chaos/crash-points';
import { acceptPackets, Ledger } from '../chaos/ledger';
import { newRetailer } from '../harness/client';
import { discard, ownPlatform, sharedInfrastructure } from '../harness/own-platform';

const boundMs = 600_000;

/**
 * An external signal seldom hits the moment between a commit and its response, so the process ends itself at exactly
 * that moment.
 */
describe('a service that crashes at a point in its own work', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-crash-'));
  const instructions = { file: path.join(folder, 'crash-point.json') };
  let platform: Platform;
  let ledger: Ledger | undefined;

  beforeAll(async () => {
    platform = await ownPlatform(
      { env: crashEnvironment(instructions), instances: { delivery: 0 } },
      sharedInfrastructure(),
    );
  });
  afterEach(() => ledger?.abandon());
  afterAll(async () => {
    await discard(platform);
    rmSync(folder, { recursive: true, force: true });
  });

  const services: readonly ServiceName[] = ['receipt-store', 'ingest'];

  it.each(services)(
    `%s, ${points.join(', ')}: acknowledged data is stored and counted exactly once`,
    async (name) => {
      const { api } = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
      await acceptPackets(api);
      ledger = new Ledger(api, { tills: 4, packetTills: 2, thinkMs: 100 });
      for (const point of points) {
        await ledger.secondsToNext();
        const [child] = platform.instances(name);
        if (!child) throw new Error(`there is no ${name}`);
        await crashAt(child, instructions, point, 1);
      }
      await ledger.secondsToNext();
      const { lost, doubled, wrong, accepted } = await ledger.close();
      expect({ lost, doubled, wrong }).toEqual({ lost: 0, doubled: 0, wrong: 0 });
      expect(accepted).toBeGreaterThan(points.length);
    },
    boundMs,
  );
});
