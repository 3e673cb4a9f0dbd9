import type { Channel } from '@receipts/contracts';

/** The fields of a pending delivery that grouping uses. */
export interface Waiting {
  readonly retailer: string;
  readonly channel: Channel;
  readonly reason: string | null;
  readonly receiptId: string;
  readonly attempts: number;
  readonly requestedAt: Date;
  readonly dueAt: Date;
}

export interface WaitingGroup extends Waiting {
  readonly deliveries: number;
}

/** @returns one group for each retailer, channel and reason, with its oldest delivery, largest group first */
export function waitingGroups(waiting: readonly Waiting[]): WaitingGroup[] {
  const groups = new Map<string, WaitingGroup>();
  for (const each of waiting) {
    const name = JSON.stringify([each.retailer, each.channel, each.reason]);
    const group = groups.get(name) ?? { ...each, deliveries: 0 };
    const oldest = each.requestedAt < group.requestedAt ? each : group;
    groups.set(name, {
      ...oldest,
      attempts: Math.max(group.attempts, each.attempts),
      dueAt: each.dueAt < group.dueAt ? each.dueAt : group.dueAt,
      deliveries: group.deliveries + 1,
    });
  }
  return [...groups.values()].sort(
    (a, b) => b.deliveries - a.deliveries || a.requestedAt.getTime() - b.requestedAt.getTime(),
  );
}
