import type { SubscribeOptions } from '@receipts/messaging';
import type { Copy, Versioned } from './copy';

/** What runs a copy, whatever its records are. */
export type FollowedCopy = Pick<Copy<Versioned>, 'events' | 'start' | 'refresh' | 'stop'>;

/** What keeps the copies of a process up to date. */
export interface FollowedCopies {
  /** Subscribe before `start`, so that no event is missed after the first read. */
  readonly queue: SubscribeOptions;
  start(): void;
  /** Call after each connection to the broker, as events may have been lost. */
  readonly refresh: () => void;
  stop(): void;
}

/** @param service its name, with which the queue begins; every process has its own queue, and gets all events */
export function followCopies(service: string, copies: readonly FollowedCopy[]): FollowedCopies {
  return {
    queue: {
      queue: `${service}.copies`,
      subscriptions: copies.map(({ events }) => events),
      exclusive: true,
    },
    start() {
      for (const copy of copies) copy.start();
    },
    refresh() {
      for (const copy of copies) copy.refresh();
    },
    stop() {
      for (const copy of copies) copy.stop();
    },
  };
}
