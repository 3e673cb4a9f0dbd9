/** What identifier answers. A contract that stands here has a handler there, or the service does not compile. */
export const identifierContracts = {};

/** What identifier tells the world. */
export const identifierEvents = {};
