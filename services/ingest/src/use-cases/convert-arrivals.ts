import { convertArrival, type ConversionOutcome } from '@receipts/contracts';
import { causedCall } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { ConcurrencyLimit } from '../domain/concurrency-limit';
import { RetailerShares } from '../domain/retailer-shares';
import { Breaker } from '../domain/breaker';
import type { NewPacket } from '../domain/new-packet';
import { packetToConvert } from '../domain/packet-to-convert';
import { Backlog } from './backlog';

/** After this time the packet is stored without an outcome, and its conversion is requested separately. */
const answerMsMax = 1_000;
/** After this time in the queue a packet is stored without an outcome, because its handler must finish. */
const waitMsMax = 15_000;
const limitBounds = { min: 16, max: 512 };
const ofOneRetailer = { failuresMax: 8, openMs: 5_000, namesMax: 1_000 };
const ofAll = { failuresMax: 64, openMs: 1_000, namesMax: 1 };
const allRetailers = 'all';

/** Converts packets before they are stored, or directly after. */
export interface ArrivalConversions {
  /** Undefined if the outcome is not known in time; its conversion must then be requested. */
  outcomeOf(packet: NewPacket): Promise<ConversionOutcome | undefined>;
}

interface ConversionParts {
  readonly broker: Pick<Broker, 'ask' | 'depth'>;
  readonly now: () => Date;
  readonly clockMs?: () => number;
}

/** Sends requests to transform: no more at a time than it can handle, and none while it does not reply. */
export function convertArrivals({
  broker,
  now,
  clockMs = () => performance.now(),
}: ConversionParts): ArrivalConversions {
  const window = new ConcurrencyLimit(limitBounds, answerMsMax, clockMs);
  const breaker = new Breaker(ofAll, clockMs);
  const breakers = new Breaker(ofOneRetailer, clockMs);
  const shares = new RetailerShares(clockMs);
  const backlog = new Backlog(broker, clockMs);

  async function ask(packet: NewPacket): Promise<ConversionOutcome | undefined> {
    const { retailer } = packet.call;
    const askedAtMs = clockMs();
    let outcome: ConversionOutcome | undefined;
    try {
      const cause = { ...packet.call, id: packet.id };
      const call = causedCall('ingest', cause, now().getTime(), answerMsMax);
      outcome = (await broker.ask(convertArrival, packetToConvert(packet), call)).body;
      breaker.succeeded(allRetailers);
      breakers.succeeded(retailer);
    } catch {
      // The error is not lost: the separate request for conversion encounters it again and reports it.
      breaker.failed(allRetailers);
      breakers.failed(retailer);
    }
    window.leave(clockMs() - askedAtMs < answerMsMax);
    return outcome;
  }

  /**
   * The broker has one queue of packets for all retailers. During a backlog, packets of a retailer that exceeds its share
   * are stored first and converted later, so that they do not delay those of other retailers.
   */
  function exceedsShare({ call }: NewPacket): boolean {
    shares.count(call.retailer);
    return shares.exceedsShare(call.retailer) && backlog.exists();
  }

  return {
    async outcomeOf(packet) {
      if (exceedsShare(packet)) return undefined;
      const { retailer } = packet.call;
      if (!breaker.allows(allRetailers) || !breakers.allows(retailer)) return undefined;
      breaker.attempted(allRetailers);
      breakers.attempted(retailer);
      const startedAtMs = clockMs();
      await window.enter();
      if (clockMs() - startedAtMs < waitMsMax) return ask(packet);
      window.leave(true);
      return undefined;
    },
  };
}
