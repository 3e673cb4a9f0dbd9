import * as contracts from './contracts';
import { publishedEventsOf } from '../shared/published-events';
import * as events from './events';

export * from './contracts';
export type { AgentFacts } from './agent-facts';
export type { RawDataSelection } from './find-raw-data';
export type { TillContact } from './find-till-contacts';
export * from './attachment';
export { decodeBase64 } from './base64';
export * from './events';
export * from './packet';
export * from './packet-facts';
export { previewCharactersMax } from './preview-packets';

/** The commands and queries of ingest. The service does not compile unless it has a handler for each. */
export const ingestContracts = { ...contracts, ...publishedEventsOf('ingest') };

/** The events of ingest. */
export const ingestEvents = { ...events };
