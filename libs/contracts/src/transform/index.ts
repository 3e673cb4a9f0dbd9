/** What transform answers. A contract that stands here has a handler there, or the service does not compile. */
export const transformContracts = {};

/** What transform tells the world. */
export const transformEvents = {};
