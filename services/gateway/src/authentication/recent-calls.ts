import { clientCallsMax, type ClientCall, type ClientCalls } from '@receipts/contracts';
import type { Caller } from './caller';

/** The last requests of each client since they were last taken. */
export class RecentCalls {
  private byClient = new Map<string, ClientCalls>();

  note({ principal, retailer, limitedAs }: Caller, call: ClientCall): void {
    if (principal.kind !== 'client') return;
    const known = this.byClient.get(limitedAs);
    if (!known) {
      this.byClient.set(limitedAs, { retailer, client: principal.id, calls: [call] });
      return;
    }
    known.calls.push(call);
    // Trims only at twice the limit, so that a busy client does not shift the list with every request.
    if (known.calls.length >= 2 * clientCallsMax) known.calls.splice(0, clientCallsMax);
  }

  take(): ClientCalls[] {
    const taken = [...this.byClient.values()].map((one) => ({
      ...one,
      calls: one.calls.slice(-clientCallsMax),
    }));
    this.byClient = new Map();
    return taken;
  }
}
