import type { AttachmentLink, limitsOf, PacketMetadata, PostedMapping } from '@receipts/contracts';
import { parseLongNumbersAsText } from '@receipts/kernel/long-numbers';
import { collectReceipts, type PartReceipt } from './collect-receipts';
import { ConversionError, faultOf, inPart, tooLarge, type ConversionFault } from './faults/conversion-fault';
import { decoderFor, type Decoder } from './decode/decode';
import type { Part, PrintedCode } from './decoded/decoded';
import { compileExpression, type Expression } from './expression';
import { compileExtract, type Extracted, type Extractor } from './extract';

/** The rules of a mapping, without its metadata and samples. */
export type MappingRules = Pick<PostedMapping, 'decode' | 'extract' | 'transform' | 'defaults' | 'limits'>;

/**
 * The same rules with all limits filled in. Sandboxed processes do not load the contracts, which contain the defaults.
 */
export type LimitedRules = MappingRules & { readonly limits: ReturnType<typeof limitsOf> };

export interface CompiledMapping {
  readonly decode: Decoder;
  readonly extractor: Extractor;
  readonly expression: Expression;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly maxOutputBytes: number;
  readonly maxReceipts: number;
}

export interface RawPacket {
  readonly bytes: Buffer;
  readonly contentType: string | null;
  readonly metadata: PacketMetadata;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly attachments: readonly AttachmentLink[];
  readonly receivedTimestamp: string;
  /** The time zone of the store, for `$local`. */
  readonly storeZone?: string | undefined;
}

/** The data of a part as passed to the expression. */
export interface DecodedView {
  lines?: readonly string[];
  doc?: unknown;
  fields?: Extracted['fields'];
  tables?: Extracted['tables'];
  codes?: readonly PrintedCode[];
}

/** Something that the author of a mapping should look at, although the data was converted. */
export interface Warning {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly part: number;
  readonly count?: number;
}

/** What was decoded, for a dry run. */
export interface Decoded {
  readonly parts: readonly DecodedView[];
  readonly warnings: readonly Warning[];
}

interface Conversion {
  readonly receipts: readonly Readonly<Record<string, unknown>>[];
  /** The part of each receipt. */
  readonly partsOfReceipts: readonly number[];
  /** The receipts as JSON, so that they need not be serialized again. */
  readonly json: string;
  readonly decoded: Decoded;
}

/** @throws ConversionError `mapping_failed` with every error. */
export function compileMapping(rules: LimitedRules): CompiledMapping {
  const faults: ConversionFault[] = [];
  const attempt = <T>(compile: () => T): T | undefined => {
    try {
      return compile();
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      faults.push(...error.faults);
      return undefined;
    }
  };
  const { limits } = rules;
  const decode = attempt(() => decoderFor(rules.decode));
  const extractor = attempt(() => compileExtract(rules.extract));
  const expression = attempt(() => compileExpression(rules.transform.expression, limits.timeout_ms));
  if (!decode || !extractor || !expression) throw new ConversionError('mapping_failed', faults);
  return {
    decode,
    extractor,
    expression,
    defaults: rules.defaults ?? {},
    maxOutputBytes: limits.max_output_kb * 1024,
    maxReceipts: limits.max_receipts,
  };
}

/** Properties may contain JSON: values that parse as an object or array are replaced by the parsed value. */
function readProperties(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const read = Object.entries(properties).map(([name, value]): [string, unknown] => {
    if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return [name, value];
    try {
      return [name, parseLongNumbersAsText(value)];
    } catch {
      return [name, value];
    }
  });
  return Object.fromEntries(read);
}

interface View {
  readonly decoded: DecodedView;
  readonly warnings: readonly Warning[];
}

function viewOf(mapping: CompiledMapping, part: Part, index: number): View {
  const { lines, doc, codes = [] } = part;
  if (lines === undefined) return { decoded: { doc }, warnings: [] };
  const { fields, tables, unmatched } = mapping.extractor.extract(lines);
  const warnings = Object.entries(unmatched).map(([table, { count, line }]) => ({
    path: `/extract/tables/${table}`,
    code: 'unmatched_lines',
    message: `${count} ${count === 1 ? 'line matches' : 'lines match'} neither row nor continuation, first: ${line}`,
    part: index,
    count,
  }));
  return { decoded: { lines, fields, tables, codes }, warnings };
}

function noReceipt(path: string, message: string): ConversionError {
  return new ConversionError('mapping_failed', [faultOf(path, 'no_receipt', message)]);
}

const isReceipt = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** The receipts of a part. An empty list says that it is no receipt; anything else without one is an error. */
function receiptsOf(result: unknown): Record<string, unknown>[] {
  const list = Array.isArray(result) ? result : [result];
  list.forEach((receipt: unknown, index) => {
    if (isReceipt(receipt)) return;
    throw noReceipt(
      Array.isArray(result) ? `/${index}` : '',
      receipt === undefined ? 'the expression returned nothing' : 'the expression did not return a receipt',
    );
  });
  return list as Record<string, unknown>[];
}

function print(receipts: unknown, maxBytes: number): string {
  let json: string;
  try {
    json = JSON.stringify(receipts);
  } catch {
    throw new ConversionError('mapping_failed', [
      faultOf('/transform/expression', 'not_json', 'the expression returned a value that is not JSON'),
    ]);
  }
  if (Buffer.byteLength(json) <= maxBytes) return json;
  throw tooLarge('/limits/max_output_kb', `the receipts are larger than ${maxBytes / 1024} KiB`);
}

/** The error contains the decoded data, so that a dry run can show it. */
export class RunError extends Error {
  constructor(
    readonly failure: ConversionError,
    readonly decoded: Decoded,
  ) {
    super(failure.message);
    this.name = 'RunError';
  }
}

/** The errors of other parts are reported as well, unless the conversion takes too long. */
const endsConversion = ({ reason }: ConversionError): boolean =>
  reason === 'timeout' || reason === 'too_large';

async function evaluateParts(
  mapping: CompiledMapping,
  views: readonly View[],
  packet: RawPacket,
): Promise<PartReceipt[]> {
  const props = readProperties(packet.properties);
  const meta = {
    ...packet.metadata,
    content_type: packet.contentType ?? undefined,
    received_timestamp: packet.receivedTimestamp,
  };
  const given: PartReceipt[] = [];
  const failures: ConversionError[] = [];
  for (const [part, { decoded }] of views.entries()) {
    const input = { fields: {}, tables: {}, codes: [], ...decoded, props, meta, part, parts: views.length };
    try {
      const result = await mapping.expression.evaluate(input, packet.storeZone);
      for (const receipt of receiptsOf(result)) given.push({ part, receipt });
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      failures.push(
        new ConversionError(
          error.reason,
          error.faults.map((fault) => inPart(fault, part)),
        ),
      );
      if (endsConversion(error)) break;
    }
  }
  const [first] = failures;
  if (first)
    throw new ConversionError(
      first.reason,
      failures.flatMap(({ faults }) => faults),
    );
  return given;
}

/**
 * Data that prints nothing, and parts for which the expression returns an empty list, have no receipts.
 * @throws RunError or ConversionError.
 */
export async function runMapping(mapping: CompiledMapping, packet: RawPacket): Promise<Conversion> {
  const parts = await mapping.decode(packet.bytes, packet.contentType);
  const views = parts.map((part, index) => viewOf(mapping, part, index));
  const decoded: Decoded = {
    parts: views.map((view) => view.decoded),
    warnings: views.flatMap(({ warnings }) => warnings),
  };
  try {
    const given = await evaluateParts(mapping, views, packet);
    const { defaults, maxReceipts, maxOutputBytes } = mapping;
    const completion = { defaults, metadata: packet.metadata, attachments: packet.attachments };
    const collected = collectReceipts(given, completion, maxReceipts);
    const receipts = collected.map(({ receipt }) => receipt);
    const json = print(receipts, maxOutputBytes);
    return { receipts, partsOfReceipts: collected.map(({ part }) => part), json, decoded };
  } catch (error) {
    throw error instanceof ConversionError ? new RunError(error, decoded) : error;
  }
}
