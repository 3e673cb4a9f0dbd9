import type { FailureReason } from '@receipts/contracts';

/** The fields of a failed packet that grouping uses. */
export interface Failure {
  readonly id: string;
  readonly retailer: string;
  readonly reason: FailureReason;
  readonly mapping: string | null;
  readonly receivedAt: Date;
}

export interface FailureGroup extends Omit<Failure, 'id' | 'receivedAt'> {
  readonly packets: number;
  readonly oldest: Date;
  readonly newest: Date;
  readonly newestPacket: string;
}

/** @param failures newest first @returns the groups, largest first */
export function failureGroups(failures: readonly Failure[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { id, receivedAt, ...kind } of failures) {
    const name = JSON.stringify([kind.retailer, kind.reason, kind.mapping]);
    const group = groups.get(name);
    const facts = group ?? { ...kind, packets: 0, newest: receivedAt, newestPacket: id };
    groups.set(name, { ...facts, packets: facts.packets + 1, oldest: receivedAt });
  }
  return [...groups.values()].sort(
    (a, b) => b.packets - a.packets || b.newest.getTime() - a.newest.getTime(),
  );
}
