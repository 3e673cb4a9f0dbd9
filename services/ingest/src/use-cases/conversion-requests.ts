import type { Log } from '@receipts/kernel';
import type { PacketDocument } from '../storage/packet-document';
import { requestConversion, type ConversionRequestParts } from './request-conversion';

const requestsMax = 512;
const bytesMax = 32 * 1024 * 1024;

/**
 * Requests the conversion of packets that were just stored. Requests that fail or exceed the limit are left to the sweep.
 */
export class ConversionRequests {
  private readonly running = new Set<Promise<void>>();
  private bytes = 0;

  constructor(private readonly parts: ConversionRequestParts & { readonly log: Log }) {}

  add(document: PacketDocument): void {
    if (this.running.size >= requestsMax || this.bytes + document.size > bytesMax) return;
    this.bytes += document.size;
    const request = requestConversion(this.parts, document)
      .catch((error: unknown) => this.parts.log.warn('a conversion could not be requested', { error }))
      .finally(() => {
        this.bytes -= document.size;
        this.running.delete(request);
      });
    this.running.add(request);
  }

  /** Resolves when all requests were confirmed by the broker or have failed. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }
}
