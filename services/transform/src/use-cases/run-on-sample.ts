import { mappingInvalid, type PostedMapping } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { createHash } from 'node:crypto';
import { checkReceipts } from '../domain/check-receipts';
import type { ConversionFault } from '../domain/faults/conversion-fault';
import type { MappingRules, RawPacket } from '../domain/run-mapping';
import type { Parts } from './parts';

function rulesOf({
  decode,
  extract,
  transform,
  defaults,
  limits,
}: Partial<PostedMapping> & MappingRules): MappingRules {
  return {
    decode,
    transform,
    ...(extract && { extract }),
    ...(defaults && { defaults }),
    ...(limits && { limits }),
  };
}

function keyOf(retailer: string, rules: MappingRules): string {
  return `sample|${retailer}|${createHash('sha256').update(JSON.stringify(rules)).digest('base64')}`;
}

export interface SampleRun {
  readonly receipts: readonly unknown[];
  readonly faults: readonly ConversionFault[];
  /** JSON */
  readonly decoded?: string;
}

/** Converts a packet as in production, but does not store the receipts. */
export async function runOnSample(
  { sandbox }: Pick<Parts, 'sandbox'>,
  retailer: string,
  mapping: MappingRules,
  packet: RawPacket,
): Promise<SampleRun> {
  const rules = rulesOf(mapping);
  const outcome = await sandbox.run({
    retailer,
    mapping: keyOf(retailer, rules),
    rules,
    packet,
    includeDecoded: true,
  });
  const decoded = outcome.decoded === undefined ? {} : { decoded: outcome.decoded };
  if (outcome.failure) return { receipts: [], faults: outcome.failure.faults, ...decoded };
  const given = JSON.parse(outcome.json ?? '[]') as unknown[];
  const { faults } = checkReceipts(given);
  return { receipts: given, faults, ...decoded };
}

/** @throws ServiceError 422 `mapping_invalid` with every error. */
export async function compileOrRefuse(
  { sandbox }: Pick<Parts, 'sandbox'>,
  retailer: string,
  mapping: PostedMapping,
): Promise<void> {
  const rules = rulesOf(mapping);
  const { failure } = await sandbox.run({ retailer, mapping: keyOf(retailer, rules), rules });
  if (failure) throw new ServiceError(mappingInvalid, { errors: [...failure.faults] });
}
