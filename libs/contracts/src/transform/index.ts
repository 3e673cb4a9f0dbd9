import * as contracts from './contracts';

export * from './contracts';
export * from './mapping';
export type { MappingDecode, PrinterFamily } from './mapping-decode';
export type { PacketToConvert } from './convert-packet';

/** The commands and queries of transform. The service does not compile unless it has a handler for each. */
export const transformContracts = { ...contracts };

/** The events of transform. */
export const transformEvents = {};
