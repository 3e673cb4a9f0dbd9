import {
  mappingIdPattern,
  transformContracts,
  type MappingDocument,
  type MappingSample,
  type PacketView,
  type PostedMapping,
  readFormData,
} from '@receipts/contracts';
import { check, ServiceError } from '@receipts/kernel';
import { JsonTextError, positionAt, valueOffsets } from './json-text';
import { templates, type TemplateName } from './mapping-templates';

/** The data of a till, with its metadata and properties. */
export interface Slip {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly sent?: Pick<MappingSample, 'metadata' | 'properties'> | undefined;
  /** The packet that the data comes from. */
  readonly packet?: PacketView | undefined;
  /** The number of the test that the data comes from, from 1. */
  readonly test?: number | undefined;
}

/** A mapping being edited. */
export interface Draft {
  readonly id: string;
  /** The version being edited; absent for a new mapping. */
  readonly version?: number | undefined;
  readonly description: string;
  /** The other members of the mapping as JSON. */
  readonly rules: string;
  readonly expression: string;
}

/** The submitted form of the workbench. */
export interface Submission {
  readonly csrf: string;
  readonly action: string;
  readonly draft: Draft;
  readonly slip: Slip;
  readonly packetId: string;
  /** The number of the test that the slip comes from. */
  readonly test: number | undefined;
  /** The number of the test to open or to remove. */
  readonly open: number | undefined;
  readonly remove: number | undefined;
}

/** An error at a position in the mapping or the receipt. */
export interface Fault {
  readonly path: string;
  readonly message: string;
  readonly line?: number | undefined;
}

/** Text without control characters, except tabs and line endings, and without bytes that are not UTF-8. */
const printable = /^[\t\n\P{Cc}]*$/u;
const notUtf8 = '\ufffd';

/** The slip as text for a text field; undefined if it contains anything but text. */
export function slipText({ bytes }: Slip): string | undefined {
  const text = bytes.toString('utf8').replaceAll('\r\n', '\n');
  return printable.test(text) && !text.includes(notUtf8) ? text : undefined;
}

/**
 * Whether two slips have the same data. Text fields do not preserve line endings, so line endings of text slips are
 * ignored.
 */
export function isSameSlip(one: Slip, other: Slip): boolean {
  const text = slipText(one);
  return one.bytes.equals(other.bytes) || (text !== undefined && text === slipText(other));
}

/** Browsers send the lines of a text field with CRLF. */
const pasted = (text: string) => text.replaceAll('\r\n', '\n');

/** The `match` member for packets like the given packet. */
function matchOf({ metadata, content_type }: PacketView): object | undefined {
  if (metadata.source_id !== undefined) return { source_id: [metadata.source_id] };
  const [mediaType] = content_type?.split(';') ?? [];
  return mediaType === undefined ? undefined : { content_type: [mediaType.trim()] };
}

/** @param packet an example of the packets that the mapping should convert */
export function draftOfTemplate(
  name: TemplateName,
  packet?: PacketView,
): { readonly draft: Draft; readonly slip: Slip } {
  const { rules, expression, slip, contentType } = templates[name];
  const match = packet && matchOf(packet);
  return {
    draft: {
      id: '',
      description: '',
      expression,
      rules: JSON.stringify({ ...rules, ...(match && { match }) }, null, 2),
    },
    slip: { bytes: Buffer.from(slip), contentType },
  };
}

export function draftOf(document: MappingDocument): Draft {
  const { id, version, status: _, description = '', transform, samples: __, ...rules } = document;
  const { expression } = transform;
  return { id, version, description, rules: JSON.stringify(rules, null, 2), expression };
}

/** The slip of a test; undefined if there is none with this number. */
export function slipOfTest(document: MappingDocument | undefined, test = 0): Slip | undefined {
  const sample = document?.samples?.[test - 1];
  return sample && { ...slipOfSample(sample), test };
}

export const slipOfSample = ({ input_base64, content_type, ...sent }: MappingSample): Slip => ({
  bytes: Buffer.from(input_base64, 'base64'),
  contentType: content_type ?? '',
  sent,
});

/** @throws ServiceError 400 `malformed_body` */
export async function readSubmission(bytes: Buffer, contentType = ''): Promise<Submission> {
  const form = await readFormData(bytes, contentType.split(';')[0]?.trim().toLowerCase() ?? '');
  const said = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
  const file = form.get('file');
  const uploaded =
    file !== null && typeof file !== 'string' ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0);
  const text = pasted(said('slip'));
  const kept = text === '' ? Buffer.from(said('slip_base64'), 'base64') : Buffer.from(text);
  const number = (name: string) => {
    const value = Number(said(name));
    return Number.isInteger(value) && value > 0 ? value : undefined;
  };
  return {
    csrf: said('csrf'),
    action: said('action'),
    packetId: said('packet'),
    test: number('test'),
    open: number('open'),
    remove: number('remove'),
    draft: {
      id: said('id').trim(),
      version: number('version'),
      description: said('description').trim(),
      rules: pasted(said('rules')),
      expression: pasted(said('expression')),
    },
    slip: { bytes: uploaded.length > 0 ? uploaded : kept, contentType: said('content_type').trim() },
  };
}

interface Composed {
  readonly document?: PostedMapping;
  readonly faults: readonly Fault[];
}

/** Members that have a separate field, or that the platform sets. */
const otherMembers = ['id', 'description', 'version', 'status', 'transform', 'samples'];

function faultInRules(message: string, offset: number, text: string): Fault {
  const { line, column } = positionAt(text, offset);
  return { path: '/rules', message: `${message} (column ${column})`, line };
}

function parsedRules(text: string): { readonly rules: object } | { readonly fault: Fault } {
  let offsets: ReadonlyMap<string, number>;
  try {
    offsets = valueOffsets(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return { fault: faultInRules(`must be JSON: ${error.message}`, error.offset, text) };
  }
  const rules: unknown = JSON.parse(text);
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules))
    return { fault: { path: '/rules', message: 'must be a JSON object' } };
  const other = otherMembers.find((name) => Object.hasOwn(rules, name));
  if (other === undefined) return { rules };
  const message =
    other === 'samples'
      ? 'must not contain “samples”: save a slip as a test instead'
      : `must not contain “${other}”, which is not part of the rules`;
  return { fault: faultInRules(message, offsets.get(`/${other}`) ?? 0, text) };
}

/** The id of a mapping that has no valid id yet, so that it can be tried. */
const provisionalId = 'new';

export function idFault({ id }: Draft): Fault | undefined {
  if (mappingIdPattern.test(id)) return undefined;
  const message = 'must be at most 100 letters, digits, “-”, “_” or “.”, and begin with a letter or a digit';
  return { path: '/id', message };
}

/**
 * The mapping that a draft represents, checked like `POST /pos/mappings`. A missing or invalid id is replaced: see
 * `idFault`.
 */
export function compose(draft: Draft, samples: readonly MappingSample[] = []): Composed {
  const parsed = parsedRules(draft.rules);
  if ('fault' in parsed) return { faults: [parsed.fault] };
  const document = {
    id: idFault(draft) ? provisionalId : draft.id,
    ...(draft.description !== '' && { description: draft.description }),
    ...parsed.rules,
    transform: { language: 'jsonata', expression: draft.expression },
    ...(samples.length > 0 && { samples }),
  };
  try {
    return {
      document: check(transformContracts.createMapping.body.variants['application/json'], document),
      faults: [],
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { faults: error.errors ?? [{ path: '', message: error.description }] };
  }
}
