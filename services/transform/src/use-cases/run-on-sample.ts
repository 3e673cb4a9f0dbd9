import { mappingInvalid, type PostedMapping } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import { createHash } from 'node:crypto';
import { checkReceipts } from '../domain/check-receipts';
import type { ConversionFault } from '../domain/faults/conversion-fault';
import type { MappingRules, RawPacket } from '../domain/run-mapping';
import type { Dependencies } from './dependencies';
import { zoneOfStore } from './zone-of-store';

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
  /** The part of each receipt; empty if there is one part. */
  readonly partsOfReceipts: readonly number[];
  readonly faults: readonly ConversionFault[];
  /** JSON of what was decoded (`Decoded`). */
  readonly decoded?: string;
}

/** Converts a packet as in production, but does not store the receipts. */
export async function runOnSample(
  deps: Pick<Dependencies, 'sandbox' | 'broker' | 'now'>,
  call: Call,
  mapping: MappingRules,
  sample: RawPacket,
): Promise<SampleRun> {
  const { retailer, deadline } = call;
  const packet = { ...sample, storeZone: await zoneOfStore(deps, mapping, sample.metadata, call) };
  const run = (rules: MappingRules) => {
    const key = keyOf(retailer, rules);
    return deps.sandbox.run({ retailer, mapping: key, rules, packet, includeDecoded: true, deadline });
  };
  const rules = rulesOf(mapping);
  const { failure, json, decoded, partsOfReceipts = [] } = await run(rules);
  if (!failure) {
    const receipts = JSON.parse(json ?? '[]') as unknown[];
    const { faults } = checkReceipts(receipts, partsOfReceipts);
    return { receipts, partsOfReceipts, faults, ...(decoded !== undefined && { decoded }) };
  }
  const { faults, reason } = failure;
  const hasErrors = decoded === undefined && reason === 'mapping_failed';
  const shown = hasErrors ? (await run(withoutErrors(rules, faults))).decoded : decoded;
  return { receipts: [], partsOfReceipts: [], faults, ...(shown !== undefined && { decoded: shown }) };
}

/**
 * The rules with only those parts of `extract` that compile, and an expression that compiles, in order to show the
 * decoded data.
 */
function withoutErrors(rules: MappingRules, faults: readonly ConversionFault[]): MappingRules {
  const compiling = <R>(kind: 'fields' | 'tables', all: Readonly<Record<string, R>> = {}) => {
    const isFaulty = (name: string) =>
      faults.some(({ path }) => path.startsWith(`/extract/${kind}/${name}/`));
    return Object.fromEntries(Object.entries(all).filter(([name]) => !isFaulty(name)));
  };
  const { fields, tables } = rules.extract ?? {};
  return {
    ...rules,
    extract: { fields: compiling('fields', fields), tables: compiling('tables', tables) },
    transform: { language: 'jsonata', expression: 'null' },
  };
}

/** @throws ServiceError 422 `mapping_invalid` with every error. */
export async function compileOrRefuse(
  { sandbox }: Pick<Dependencies, 'sandbox'>,
  { retailer, deadline }: Pick<Call, 'retailer' | 'deadline'>,
  mapping: PostedMapping,
): Promise<void> {
  const rules = rulesOf(mapping);
  const { failure } = await sandbox.run({ retailer, mapping: keyOf(retailer, rules), rules, deadline });
  if (failure) throw new ServiceError(mappingInvalid, { errors: [...failure.faults] });
}
