import { globMatches, integratorEvents } from '@receipts/contracts';

/** An integrator's queue of events, as it is kept. */
export interface SubscriptionRecord {
  readonly retailer: string;
  readonly name: string;
  readonly types: readonly string[];
  /** As RabbitMQ keeps it; the password itself is known to the integrator alone. */
  readonly passwordHash: string;
  readonly status: 'ready' | 'incomplete';
  readonly created: Date;
}

const wholeArea = /^([a-z_]+)\.\*$/;
const knownTypes = integratorEvents.map(({ type }) => type);

/**
 * What the queue is bound with. The `*` of ours stands for any characters, the broker's for one whole word: what it cannot say
 * is said type by type.
 */
export function routingKeysOf(types: readonly string[]): string[] {
  const keys = types.flatMap((glob) => {
    if (glob === '*') return ['#'];
    const [, area] = wholeArea.exec(glob) ?? [];
    return area === undefined ? knownTypes.filter((type) => globMatches(glob, type)) : [`${area}.#`];
  });
  return [...new Set(keys)];
}
