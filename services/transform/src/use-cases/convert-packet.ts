import { finishPacket, type convertPacket as contract } from '@receipts/contracts';
import { causedCall, type Handler } from '@receipts/kernel';
import { convert, exceedsBacklog } from './convert';
import type { Parts } from './parts';

const finishTimeoutMs = 30_000;

/** Converts a packet that ingest has stored, and reports the outcome to ingest. */
export function convertPacket(parts: Parts): Handler<typeof contract> {
  return async ({ params: packet, body: bytes }, call) => {
    if (exceedsBacklog(parts, call.retailer)) {
      parts.countOutcome('postponed');
      return {};
    }
    const outcome = await convert(parts, packet, bytes, call);
    parts.countOutcome(outcome.failure?.reason ?? 'converted');
    await parts.broker.send(
      finishPacket,
      { body: { id: packet.id, attempt: packet.attempt, ...outcome } },
      causedCall('transform', call, parts.now().getTime(), finishTimeoutMs),
    );
    return {};
  };
}
