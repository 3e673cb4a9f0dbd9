import type { BatchHandler, ContractShape, Handler, Handlers } from '@receipts/kernel';
import { guarded } from './faults';

function guardOne<C extends ContractShape>(
  handler: Handler<C> | BatchHandler<C>,
): Handler<C> | BatchHandler<C> {
  if (typeof handler === 'function') return (input, call) => guarded(() => handler(input, call));
  return { batch: (items) => guarded(() => handler.batch(items)) };
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
