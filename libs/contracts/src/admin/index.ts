/** What admin answers. A contract that stands here has a handler there, or the service does not compile. */
export const adminContracts = {};

/** What admin tells the world. */
export const adminEvents = {};
