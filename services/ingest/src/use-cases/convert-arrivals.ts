import { convertArrival, type ConversionOutcome } from '@receipts/contracts';
import type { Broker } from '@receipts/messaging';
import { AdaptiveWindow } from '../domain/adaptive-window';
import { ArrivalShares } from '../domain/arrival-shares';
import { Breaker } from '../domain/breaker';
import type { NewPacket } from '../domain/new-packet';
import { packetToConvert, serviceCall } from '../domain/service-call';

/** An answer that takes longer is not awaited: the packet is written down and its conversion ordered. */
const answerMsMax = 1_000;
/** A packet that has waited so long with the broker is one of a backlog. */
const backlogMs = 5_000;
/** A packet that waited so long for its turn is written down first: its handler must end. */
const turnMsMax = 15_000;
const windowBounds = { min: 16, max: 512 };
const ofOneRetailer = { failuresMax: 8, openMs: 5_000, namesMax: 1_000 };
const ofAll = { failuresMax: 64, openMs: 1_000, namesMax: 1 };
const everybody = 'all';

/** What packets become that are not written down yet. */
export interface ArrivalConversions {
  /** Undefined when that is not known in time: the packet must be written down as accepted. */
  outcomeOf(packet: NewPacket): Promise<ConversionOutcome | undefined>;
}

interface ConversionParts {
  readonly broker: Pick<Broker, 'ask'>;
  readonly now: () => Date;
  readonly clockMs?: () => number;
}

/** Asks transform, no more at once than it answers in time, and not at all while it does not answer. */
export function convertArrivals({
  broker,
  now,
  clockMs = () => performance.now(),
}: ConversionParts): ArrivalConversions {
  const window = new AdaptiveWindow(windowBounds, answerMsMax, clockMs);
  const breaker = new Breaker(ofAll, clockMs);
  const breakers = new Breaker(ofOneRetailer, clockMs);
  const shares = new ArrivalShares(clockMs);

  async function ask(packet: NewPacket): Promise<ConversionOutcome | undefined> {
    const { retailer } = packet.call;
    const askedAtMs = clockMs();
    let outcome: ConversionOutcome | undefined;
    try {
      const call = serviceCall({ ...packet.call, causationId: packet.id }, now(), answerMsMax);
      outcome = (await broker.ask(convertArrival, packetToConvert(packet), call)).body;
      breaker.succeeded(everybody);
      breakers.succeeded(retailer);
    } catch {
      // Whatever it was, the order that follows meets it again and says so.
      breaker.failed(everybody);
      breakers.failed(retailer);
    }
    window.leave(clockMs() - askedAtMs < answerMsMax);
    return outcome;
  }

  /**
   * Packets wait with the broker in one line. When there is a backlog, those of a retailer that sends more than the others
   * are written down first and converted in turn, so that the others' are not kept behind them.
   */
  function standsInTheWay({ call }: NewPacket): boolean {
    shares.count(call.retailer);
    return now().getTime() - call.at > backlogMs && shares.isFlooding(call.retailer);
  }

  return {
    async outcomeOf(packet) {
      if (standsInTheWay(packet)) return undefined;
      if (!breaker.allows(everybody) || !breakers.allows(packet.call.retailer)) return undefined;
      const startedAtMs = clockMs();
      await window.enter();
      if (clockMs() - startedAtMs < turnMsMax) return ask(packet);
      window.leave(true);
      return undefined;
    },
  };
}
