import type { SerializedEvent } from '@receipts/kernel';
import { acceptedEvent, finishedEvent } from './packet-events';
import { finishPacket, viewOf, type ConversionResult, type Packet } from './packet-state';
import { nextRetryAt } from './next-retry-at';

/** An event as received by its subscribers. */
const printed = (event: SerializedEvent | undefined): unknown => JSON.parse(event?.text ?? 'null');

const now = new Date('2026-01-02T03:04:05.678Z');
const origin = { id: 'e'.repeat(24), at: now, causationId: 'c'.repeat(24), requestId: 'r', retailer: 'acme' };

const accepted: Packet = {
  id: 'a'.repeat(24),
  receiptId: 'a'.repeat(24),
  retailer: 'acme',
  version: 1,
  status: 'accepted',
  reason: null,
  errors: [],
  contentType: 'text/plain',
  size: 5,
  receivedAt: now,
  updatedAt: now,
  attempts: 2,
  mapping: null,
  metadata: { duplicate: true },
  properties: { email: 'secret@example.com' },
  receiptIds: [],
};
const success: ConversionResult = {
  attempt: 2,
  receiptIds: [accepted.id, 'b'.repeat(24)],
  mapping: { id: 'm', version: 3 },
  failure: null,
};
const failure: ConversionResult = {
  attempt: 2,
  receiptIds: [],
  mapping: null,
  failure: { reason: 'no_mapping', errors: [{ path: '', code: 'no_mapping', message: 'none' }] },
};

test('publishes an accepted packet without its free-form properties, regardless of its current state', () => {
  const event = acceptedEvent(accepted, origin);
  expect(printed(event)).toMatchObject({
    type: 'pos_receipt.accepted',
    subject: accepted.id,
    sequence: 1,
    causationid: origin.causationId,
  });
  expect(JSON.stringify(event)).not.toContain('secret@');
  for (const finish of [success, failure]) {
    expect(acceptedEvent(finishPacket(accepted, finish, now) as Packet, origin)).toEqual(event);
  }
});

test('marks a packet as converted after a success', () => {
  const packet = finishPacket(accepted, success, now) as Packet;
  expect(packet).toMatchObject({ status: 'converted', version: 2, mapping: success.mapping });
  expect(printed(finishedEvent(packet, origin))).toMatchObject({
    type: 'pos_receipt.converted',
    sequence: 2,
    data: { receipt_ids: success.receiptIds, duplicate: true },
  });
});

test('stores the reason for a failure', () => {
  const packet = finishPacket(accepted, failure, now) as Packet;
  expect(packet).toMatchObject({ status: 'failed', reason: 'no_mapping' });
  expect(printed(finishedEvent(packet, origin))).toMatchObject({
    type: 'pos_receipt.failed',
    sequence: 2,
    data: { reason: 'no_mapping' },
  });
});

test('ignores later outcomes', () => {
  const converted: Packet = { ...accepted, status: 'converted' };
  const failed: Packet = { ...accepted, status: 'failed', reason: 'timeout' };
  expect(finishPacket(converted, success, now)).toBeUndefined();
  expect(finishPacket(converted, failure, now)).toBeUndefined();
  expect(finishPacket(failed, failure, now)).toBeUndefined();
});

test('ignores a failure of a superseded attempt, but counts its success', () => {
  expect(finishPacket(accepted, { ...failure, attempt: 1 }, now)).toBeUndefined();
  expect(finishPacket(accepted, { ...success, attempt: 1 }, now)?.status).toBe('converted');
  const failed: Packet = { ...accepted, status: 'failed', reason: 'timeout' };
  expect(finishPacket(failed, success, now)).toMatchObject({
    status: 'converted',
    reason: null,
  });
});

test('returns times in the format of the interface', () => {
  expect(viewOf(accepted)).toMatchObject({
    received_timestamp: '2026-01-02T03:04:05.678+00:00',
    receipt_id: accepted.id,
    duplicate: true,
    mapping: null,
  });
});

test('retries the conversion with growing delays, up to an hour', () => {
  const waits = [0, 1, 2, 10, 1_000].map(
    (retries) => nextRetryAt(now, retries, 30_000).getTime() - now.getTime(),
  );
  expect(waits).toEqual([30_000, 60_000, 120_000, 3_600_000, 3_600_000]);
});
