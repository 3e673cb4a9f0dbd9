import { listEvents } from './list-events';

export { cursorExpired } from './list-events';

/** The feed of events. Served by delivery together with its other contracts. */
export const eventsFeedContracts = { listEvents };
