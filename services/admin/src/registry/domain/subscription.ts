import { globMatches, integratorEvents } from '@receipts/contracts';

/** A stored subscription: an integrator's event queue. */
export interface SubscriptionRecord {
  readonly retailer: string;
  readonly name: string;
  readonly types: readonly string[];
  /** In RabbitMQ's format; the password itself is not stored. */
  readonly passwordHash: string;
  readonly status: 'ready' | 'incomplete';
  readonly created: Date;
}

const wholeArea = /^([a-z_]+)\.\*$/;
const knownTypes = integratorEvents.map(({ type }) => type);

/**
 * The routing keys of the queue's bindings. In our patterns, `*` matches any characters; in the broker's, it matches a
 * single word. Patterns that the broker cannot express become one binding per type.
 */
export function routingKeysOf(types: readonly string[]): string[] {
  const keys = types.flatMap((glob) => {
    if (glob === '*') return ['#'];
    const [, area] = wholeArea.exec(glob) ?? [];
    return area === undefined ? knownTypes.filter((type) => globMatches(glob, type)) : [`${area}.#`];
  });
  return [...new Set(keys)];
}
