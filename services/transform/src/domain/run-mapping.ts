import type { AttachmentLink, limitsOf, PacketMetadata, PostedMapping } from '@receipts/contracts';
import { parseLongNumbersAsText } from '@receipts/kernel/long-numbers';
import { completeReceipt } from './complete-receipt';
import {
  ConversionError,
  decodeFailed,
  faultOf,
  tooLarge,
  type ConversionFault,
} from './faults/conversion-fault';
import { decoderFor, type Decoder } from './decode/decode';
import type { Part } from './decode/decoded';
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
}

interface Conversion {
  readonly receipts: readonly Readonly<Record<string, unknown>>[];
  /** The receipts as JSON, so that they need not be serialized again. */
  readonly json: string;
  readonly decoded: DecodedView;
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

async function decodeParts(mapping: CompiledMapping, packet: RawPacket): Promise<readonly Part[]> {
  const parts = await mapping.decode(packet.bytes, packet.contentType);
  if (parts.length === 0) throw decodeFailed('contains no text');
  return parts;
}

function viewOf(mapping: CompiledMapping, part: Part): DecodedView {
  const { lines, doc } = part;
  if (lines === undefined) return { doc };
  return { lines, ...mapping.extractor.extract(lines) };
}

function noReceipt(path: string, message: string): ConversionError {
  return new ConversionError('mapping_failed', [faultOf(path, 'no_receipt', message)]);
}

function receiptsOf(result: unknown): Record<string, unknown>[] {
  const list = Array.isArray(result) ? result : [result];
  list.forEach((receipt: unknown, index) => {
    if (typeof receipt === 'object' && receipt !== null && !Array.isArray(receipt)) return;
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
    readonly decoded: DecodedView,
  ) {
    super(failure.message);
    this.name = 'RunError';
  }
}

/** @throws RunError or ConversionError. */
export async function runMapping(mapping: CompiledMapping, packet: RawPacket): Promise<Conversion> {
  const parts = await decodeParts(mapping, packet);
  const props = readProperties(packet.properties);
  const meta = {
    ...packet.metadata,
    content_type: packet.contentType ?? undefined,
    received_timestamp: packet.receivedTimestamp,
  };
  const completion = {
    defaults: mapping.defaults,
    metadata: packet.metadata,
    attachments: packet.attachments,
  };
  let decoded: DecodedView = {};
  try {
    const receipts: Record<string, unknown>[] = [];
    for (const [index, part] of parts.entries()) {
      const view = viewOf(mapping, part);
      if (index === 0) decoded = view;
      const input = { fields: {}, tables: {}, ...view, codes: part.codes ?? [], props, meta };
      for (const receipt of receiptsOf(await mapping.expression.evaluate(input, packet.storeZone))) {
        receipts.push(completeReceipt(receipt, receipts.length, completion));
        if (receipts.length > mapping.maxReceipts) {
          throw tooLarge('/limits/max_receipts', `there are more than ${mapping.maxReceipts} receipts`);
        }
      }
    }
    if (receipts.length === 0) throw noReceipt('', 'the expression returned no receipt');
    return { receipts, json: print(receipts, mapping.maxOutputBytes), decoded };
  } catch (error) {
    throw error instanceof ConversionError ? new RunError(error, decoded) : error;
  }
}
