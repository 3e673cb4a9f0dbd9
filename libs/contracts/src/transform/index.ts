import { activateMapping } from './activate-mapping';
import { convertArrival } from './convert-arrival';
import { convertPacket } from './convert-packet';
import { createMapping } from './create-mapping';
import { deactivateMapping } from './deactivate-mapping';
import { dryRunMapping } from './dry-run-mapping';
import { getMapping } from './get-mapping';
import { inspectSlip } from './inspect-slip';
import { listMappings } from './list-mappings';
import { patchMapping } from './patch-mapping';
import { dryRunPacket } from './dry-run-packet';

export * from './activate-mapping';
export * from './convert-arrival';
export * from './convert-packet';
export * from './create-mapping';
export * from './deactivate-mapping';
export * from './dry-run-mapping';
export * from './get-mapping';
export * from './inspect-slip';
export * from './list-mappings';
export * from './mapping';
export * from './packet-to-convert';
export * from './patch-mapping';
export * from './dry-run-packet';

/** The commands and queries of transform. The service does not compile unless it has a handler for each. */
export const transformContracts = {
  convertArrival,
  convertPacket,
  createMapping,
  listMappings,
  getMapping,
  patchMapping,
  activateMapping,
  deactivateMapping,
  dryRunMapping,
  dryRunPacket,
  inspectSlip,
};

/** The events of transform. */
export const transformEvents = {};
