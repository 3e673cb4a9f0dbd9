import { listEvents } from './list-events';

export { cloudEvent, cursorExpired } from './list-events';

/** The event feed. It is served by delivery. */
export const eventsFeedContracts = { listEvents };
