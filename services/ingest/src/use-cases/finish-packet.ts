import type { finishPacket as contract } from '@receipts/contracts';
import { newId, originOf, ServiceError, unavailable, type BatchHandler, type Item } from '@receipts/kernel';
import { deadlineSignal, outboxItem } from '@receipts/storage';
import { finishedEvent } from '../domain/packet-events';
import { finishPacket as decide, type Packet } from '../domain/packet-state';
import { convertedEventOf, packetOf, type PacketWithoutBytes } from '../storage/packet-document';
import { convertedDocument, type FinishedPacket } from '../storage/packet-outcomes';
import type { Dependencies } from './dependencies';

type ResultItem = Item<typeof contract>;

/** Nothing changes a packet whose first attempt has succeeded, so its event can be generated from it. */
const isFirstSuccess = ({ version }: PacketWithoutBytes, { status }: Packet) =>
  version === 1 && status === 'converted';

/** The event of another outcome is stored with it, because a later attempt may replace the outcome. */
function finishedOf(
  before: PacketWithoutBytes,
  { input, call }: ResultItem,
  now: Date,
): FinishedPacket | undefined {
  const packet = decide(packetOf(before), input.body, now);
  if (!packet) return undefined;
  if (isFirstSuccess(before, packet))
    return { before, packet, event: { conversion: { event: newId(now.getTime()), cause: call.id } } };
  return { before, packet, event: { item: outboxItem(finishedEvent(packet, originOf(call, now))) } };
}

function decideAll(
  found: ReadonlyMap<string, PacketWithoutBytes>,
  items: readonly ResultItem[],
  now: Date,
): FinishedPacket[] {
  const decided = new Map<string, FinishedPacket>();
  for (const item of items) {
    const packet = found.get(item.input.body.id);
    if (!packet || packet.retailer !== item.call.retailer) continue;
    const earlier = decided.get(packet._id)?.packet.status;
    if (earlier === 'converted') continue;
    const finished = finishedOf(packet, item, now);
    // The first failure counts, but a success replaces it, because its receipts exist.
    if (finished && (!earlier || finished.packet.status === 'converted')) decided.set(packet._id, finished);
  }
  return [...decided.values()];
}

/** The packets may be changed by other processes at the same time, so the decisions are repeated. */
const attemptsMax = 5;

/** Whether this outcome was saved. If another process came first, the packet has another version or outcome. */
const isSavedIn = (found: PacketWithoutBytes | undefined, { version, reason, updatedAt }: Packet) =>
  found?.version === version &&
  (found.reason ?? null) === reason &&
  found.updatedAt.getTime() === updatedAt.getTime();

/**
 * Saves what the items change.
 * @returns the packets of the items, as saved
 */
async function saveAll(
  { packets, outcomes, packetRelay, countOutcome, now }: Dependencies,
  items: readonly ResultItem[],
): Promise<readonly PacketWithoutBytes[]> {
  const signal = () => deadlineSignal(items.map(({ call }) => call));
  const ids = items.map(({ input }) => input.body.id);
  let attempted: readonly Packet[] = [];
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const found = await packets.findMany(ids, signal());
    const finished = decideAll(found, items, now());
    const saved = attempted.filter((packet) => isSavedIn(found.get(packet.id), packet));
    attempted = [...saved, ...finished.map(({ packet }) => packet)];
    if (finished.length > 0 && !(await outcomes.save(finished, signal()))) continue;
    for (const { reason } of attempted) countOutcome(reason ?? 'converted');
    packetRelay.enqueue(
      finished.flatMap(({ before: { _id, outbox = [] }, event }) =>
        'item' in event ? [{ _id, items: [...outbox, event.item] }] : [],
      ),
    );
    for (const { before, packet, event } of finished)
      if ('conversion' in event) found.set(packet.id, convertedDocument(before, packet, event.conversion));
    return [...found.values()];
  }
  throw new ServiceError(unavailable, { internal: 'the packets were changed repeatedly' });
}

/**
 * Publishes the events of the packets that these items converted, now or before a crash.
 * @returns the ids of the items whose events the broker has not confirmed
 */
async function publishConversions(
  { broker }: Dependencies,
  saved: readonly PacketWithoutBytes[],
  items: readonly ResultItem[],
): Promise<ReadonlySet<string>> {
  const causes = new Set(items.map(({ call }) => call.id));
  const converted = saved.flatMap((packet) => {
    const cause = packet.conversion?.cause ?? '';
    const event = causes.has(cause) ? convertedEventOf(packet) : undefined;
    return event ? [{ cause, event }] : [];
  });
  if (converted.length === 0) return new Set();
  const areConfirmed = await broker.publish(converted.map(({ event }) => event));
  return new Set(converted.filter((_, i) => !areConfirmed[i]).map(({ cause }) => cause));
}

const isUnpublished = new ServiceError(unavailable, { internal: 'the broker has not confirmed the event' });

/**
 * Saves the outcomes of conversions. The command that converts a packet stays with the broker until the event of the
 * conversion is confirmed, and publishes it again when it is redelivered.
 */
export function finishPacket(deps: Dependencies): BatchHandler<typeof contract> {
  return {
    async batch(items) {
      const saved = await saveAll(deps, items);
      const unpublished = await publishConversions(deps, saved, items);
      return items.map(({ call }) => (unpublished.has(call.id) ? isUnpublished : {}));
    },
  };
}
