import type { Log } from '@receipts/kernel';
import type { PacketDocument } from '../storage/packet-document';
import { orderConversion, type OrderParts } from './order-conversion';

const ordersMax = 512;
const bytesMax = 32 * 1024 * 1024;

/**
 * Requests the conversion of packets that were just stored. Requests that fail or exceed the limit are left to the sweep.
 */
export interface ConversionOrders {
  add(document: PacketDocument): void;
  /** Resolves when all requests were confirmed by the broker or have failed. */
  idle(): Promise<void>;
}

export function conversionOrders(parts: OrderParts & { readonly log: Log }): ConversionOrders {
  const running = new Set<Promise<void>>();
  let bytes = 0;

  async function order(document: PacketDocument): Promise<void> {
    try {
      await orderConversion(parts, document);
    } catch (error) {
      parts.log.warn('a conversion could not be requested', { error });
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
