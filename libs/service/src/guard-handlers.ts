import type { BatchHandler, ContractShape, EventRecord, Handler, Handlers } from '@receipts/kernel';
import { withStorageErrors, toUnavailableError } from '@receipts/storage';

function guardOne<C extends ContractShape>(
  handler: Handler<C> | BatchHandler<C>,
): Handler<C> | BatchHandler<C> {
  if (typeof handler === 'function') return (input, call) => withStorageErrors(() => handler(input, call));
  return { batch: (items) => withStorageErrors(() => handler.batch(items)) };
}

/** Wraps the handlers of a service so that their callers get a 503 while the database is unavailable. */
export function guardHandlers<T extends Readonly<Record<string, ContractShape>>>(
  handlers: Handlers<T>,
): Handlers<T> {
  const guards = Object.entries(handlers).map(([name, handler]) => [
    name,
    guardOne(handler as Handler | BatchHandler),
  ]);
  return Object.fromEntries(guards) as Handlers<T>;
}

/** Handles a batch of events; an error in the result belongs to the event at the same place. */
export type HandleEvents = (events: readonly EventRecord[]) => Promise<readonly (undefined | Error)[] | void>;

/**
 * Wraps a handler of events so that they are retried for hours while the database is unavailable: after any other error
 * they would be dead-lettered within minutes.
 */
export function guardEvents(handle: HandleEvents): HandleEvents {
  return async (events) => {
    const errors = await withStorageErrors(() => handle(events));
    return errors?.map((error) => toUnavailableError(error) ?? error);
  };
}
