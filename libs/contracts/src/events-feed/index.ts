import { listEvents } from './list-events';

export { cloudEvent, cursorExpired } from './list-events';

/** The feed of events. It is served by delivery. */
export const eventsFeedContracts = { listEvents };
