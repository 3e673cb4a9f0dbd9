import type { DeadLetters } from '@receipts/messaging';
import { orUnavailable } from '../broker/or-unavailable';

/** Dead letters are read over separate connections. If these fail, the caller gets 503. */
export const guardedDeadLetters = (deadLetters: DeadLetters): DeadLetters => ({
  list: (...args) => orUnavailable(deadLetters.list(...args)),
  show: (...args) => orUnavailable(deadLetters.show(...args)),
  replay: (...args) => orUnavailable(deadLetters.replay(...args)),
  discard: (...args) => orUnavailable(deadLetters.discard(...args)),
});
