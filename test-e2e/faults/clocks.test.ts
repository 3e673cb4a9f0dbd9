import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Platform } from '@receipts/local';
import { until } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { clockShifts, type ClockShifts } from '../harness/clock-shifts';
import { discard, ownPlatform, sharedInfrastructure } from '../harness/own-platform';
import { aReceipt, uniqueId } from '../harness/receipts';

const tenSeconds = 10_000;
const tenMinutes = 600_000;

/** How far the services' clocks are ahead of the gateway's. */
const aheadMs: ClockShifts = {
  'receipt-store': tenMinutes,
  identifier: -tenMinutes,
  ingest: tenSeconds,
  admin: -tenSeconds,
};
/** Messages never arrive before they were sent. Their transit time depends on the machine. */
const transitMaxMs = 60_000;
const timersMs = 50;

/**
 * Deadlines are points in time: a service with a wrong clock could reject all requests, or work on requests that have
 * timed out.
 */
describe('services whose clocks are wrong', () => {
  let platform: Platform;
  let retailer: TestRetailer;

  beforeAll(async () => {
    platform = await ownPlatform(
      { env: clockShifts(aheadMs), instances: { transform: 0, delivery: 0 } },
      sharedInfrastructure(),
    );
    retailer = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
  });
  afterAll(() => discard(platform));

  it('respond to requests', async () => {
    const { api } = retailer;
    const identifier = uniqueId('consumer');
    const posted = await api.post('/receipts', aReceipt({ identifier }));
    expect(posted.status).toBe(201);
    expect((await api.get(`/receipts/${posted.body.id}`)).status).toBe(200);
    expect((await api.get('/receipts/_search', { query: 'identifier:nobody' })).status).toBe(200);
    expect((await api.post('/stores', { name: 'A store', country: 'FRA' })).status).toBe(201);
    const packet = await api.call('/pos/receipts', {
      method: 'POST',
      body: Buffer.from('{}'),
      headers: { 'content-type': 'application/json' },
    });
    expect(packet.status).toBe(202);
    expect((await api.get('/pos/packets')).status).toBe(200);
    await until(
      'the summary of the consumer',
      async () => (await api.get(`/identifiers/${identifier}`)).body?.summary?.receipts === 1,
    );
  });

  it.each(Object.entries(aheadMs))('report the deviation: %s', async (name, ahead) => {
    const log = path.join(platform.settings.dataDir, 'logs', `${name}.log`);
    // Other callers' clocks are also wrong, but are measured separately. Only the gateway's clock is correct.
    const isOfGateway = (line: string) => {
      if (!line.includes('the clock of a caller differs')) return false;
      const { ahead_ms: measured } = JSON.parse(line) as { ahead_ms: number };
      return measured >= ahead - timersMs && measured < ahead + transitMaxMs;
    };
    await until(`a line in the log of ${name}`, () =>
      readFileSync(log, 'utf8').split('\n').some(isOfGateway),
    );
  });
});
