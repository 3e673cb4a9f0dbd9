import * as contracts from './contracts';

export * from './activate-mapping';
export * from './convert-arrival';
export * from './convert-packet';
export * from './create-mapping';
export * from './deactivate-mapping';
export * from './dry-run-mapping';
export * from './get-mapping';
export * from './inspect-slip';
export * from './test-mapping';
export * from './list-mappings';
export * from './mapping';
export * from './packet-to-convert';
export * from './patch-mapping';
export * from './dry-run-packet';

/** The commands and queries of transform. The service does not compile unless it has a handler for each. */
export const transformContracts = { ...contracts };

/** The events of transform. */
export const transformEvents = {};
