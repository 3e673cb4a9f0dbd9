/** What ingest answers. A contract that stands here has a handler there, or the service does not compile. */
export const ingestContracts = {};

/** What ingest tells the world. */
export const ingestEvents = {};
