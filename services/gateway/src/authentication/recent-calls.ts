import type { Caller } from './caller';

export interface RecentCall {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  /** The pattern of the route: a path may contain personal data. */
  readonly route: string;
  readonly status: number;
  readonly request_id: string;
}

export interface ClientCalls {
  readonly retailer: string;
  /** `bearer:7`, `hmac:3`. */
  readonly client: string;
  /** Sorted, oldest first. */
  readonly calls: readonly RecentCall[];
}

/** The number of calls that the portal shows. */
const callsMax = 50;

/** The last requests of each client since they were last taken. */
export class RecentCalls {
  private byClient = new Map<string, { retailer: string; client: string; calls: RecentCall[] }>();

  note({ principal, retailer, limitedAs }: Caller, call: RecentCall): void {
    if (principal.kind !== 'client') return;
    const known = this.byClient.get(limitedAs);
    if (!known) {
      this.byClient.set(limitedAs, { retailer, client: principal.id, calls: [call] });
      return;
    }
    known.calls.push(call);
    // Trims only at twice the limit, so that a busy client does not shift the list with every request.
    if (known.calls.length >= 2 * callsMax) known.calls.splice(0, callsMax);
  }

  take(): ClientCalls[] {
    const taken = [...this.byClient.values()].map((one) => ({ ...one, calls: one.calls.slice(-callsMax) }));
    this.byClient = new Map();
    return taken;
  }
}
