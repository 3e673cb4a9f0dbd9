import type { Log } from '@receipts/storage';
import type { PacketDocument } from '../storage/packet-document';
import { orderConversion, type OrderParts } from './order-conversion';

const ordersMax = 512;
const bytesMax = 32 * 1024 * 1024;

/** Orders the conversion of packets that were just written down. What does not fit, or does not get out, the sweep orders. */
export interface ConversionOrders {
  add(document: PacketDocument): void;
  /** Resolves when all that were added are with the broker or given up. */
  idle(): Promise<void>;
}

export function conversionOrders(parts: OrderParts & { readonly log: Log }): ConversionOrders {
  const running = new Set<Promise<void>>();
  let bytes = 0;

  async function order(document: PacketDocument): Promise<void> {
    try {
      await orderConversion(parts, document);
    } catch (error) {
      parts.log.warn('could not order a conversion', { error: (error as Error).message });
    }
  }

  return {
    add(document) {
      if (running.size >= ordersMax || bytes + document.size > bytesMax) return;
      bytes += document.size;
      const ordering = order(document).finally(() => {
        bytes -= document.size;
        running.delete(ordering);
      });
      running.add(ordering);
    },
    async idle() {
      await Promise.all(running);
    },
  };
}
