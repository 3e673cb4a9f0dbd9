import {
  invalidParameters,
  jsonPointer,
  mustBeAtLeast,
  mustBeAtMost,
  schemaValidationFailed,
  ServiceError,
  wording,
  type FieldFault,
} from '@receipts/kernel';
import { z } from 'zod';
import { uuidV4Pattern } from '../receipt/fields';
import { isRouteName, routeNameFault } from '../shared/key-text';
import { readAgentFacts, type AgentFacts } from './agent-facts';
import { attachmentLabelPattern, attachmentsMax } from '../receipt/posted-attachments';

/**
 * The data of a packet besides its bytes: metadata with a fixed meaning, free-form properties for the mapping, and
 * links to attachments. All of it is sent in headers; metadata and properties may also be query parameters.
 */

/** Normalizes an external id, a UUIDv4, to lower case. Undefined if it is invalid. */
export function readExternalId(value: string): string | undefined {
  const id = value.trim().toLowerCase();
  return uuidV4Pattern.test(id) ? id : undefined;
}

export const propertiesMax = 100;
export const metadataCharactersMax = 255;

const text = z.string().optional();

export const packetMetadata = z
  .strictObject({
    duplicate: z.boolean().optional().describe('Whether the receipt is another copy. Defaults to `false`.'),
    external_id: text.describe(
      'A UUIDv4 of your choice. You can retry a request with the same id and data: the data is converted only once. Different data causes 409.',
    ),
    transaction_id: text.describe('The transaction id of the receipt, if the mapping does not set one.'),
    store_reference: text.describe(
      'The store of the receipt, if the mapping does not set one. It is also used to choose the mapping.',
    ),
    till_id: text.describe('The name of the till. It is used to choose the mapping.'),
    till_uuid: text.describe('The id of the till, if the mapping does not set one.'),
    till_sequence: z
      .int()
      .min(0)
      .optional()
      .describe('The till’s own number of the first receipt, if the mapping does not set one.'),
    source_id: text.describe('The source of the data. It is used to choose the mapping.'),
    source_read: text.describe(
      'When the entry was created at its source, ISO 8601. Only with `POST /pos/data`.',
    ),
    entry_id: text.describe('The id of the entry at its source. Only with `POST /pos/data`.'),
    identifier: text.describe('The consumer who owns the receipt, if the mapping does not set one.'),
    link: text.describe(
      'A link from `POST /receipts/_link`. Its page shows the first receipt of the data. A link can be used once.',
    ),
    mapping: text.describe('The id of the mapping to use. Defaults to the best match.'),
  })
  .describe('The metadata sent with the data, without free-form properties and attachments.');
export type PacketMetadata = z.output<typeof packetMetadata>;

/** The metadata that is kept after a deletion: without the consumer and values that a till may choose freely. */
export function metadataWithoutPerson({
  duplicate,
  external_id,
  store_reference,
}: PacketMetadata): PacketMetadata {
  return {
    ...(duplicate !== undefined && { duplicate }),
    ...(external_id !== undefined && { external_id }),
    ...(store_reference !== undefined && { store_reference }),
  };
}

/** The metadata of `POST /pos/receipts`. `source_read` and `entry_id` are part of `POST /pos/data` only. */
export const metadataNames = [
  'duplicate',
  'external_id',
  'transaction_id',
  'store_reference',
  'till_id',
  'till_uuid',
  'till_sequence',
  'source_id',
  'identifier',
  'link',
  'mapping',
] as const;
type MetadataName = (typeof metadataNames)[number];

export const attachmentLink = z.strictObject({ id: z.string(), label: z.string() });
export type AttachmentLink = z.output<typeof attachmentLink>;

export interface PacketFacts {
  readonly metadata: PacketMetadata;
  readonly properties: Readonly<Record<string, string>>;
  readonly attachments: readonly AttachmentLink[];
  /** Absent if no till agent sent the data. */
  readonly agent?: AgentFacts;
}

type Pair = readonly [name: string, value: string];

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a header value. Node.js decodes headers as latin1, but tills send UTF-8. A value that is not valid UTF-8 is
 * returned unchanged.
 */
export function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value) || /[\u0100-\uffff]/.test(value)) return value;
  try {
    return strictUtf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

const fold = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** A value, and the name under which it was sent. */
interface Given {
  readonly name: string;
  readonly value: string;
}

function firstOfEach(pairs: readonly Pair[], prefix: string): Map<string, Given> {
  const values = new Map<string, Given>();
  for (const [name, value] of pairs) {
    const folded = fold(name);
    if (!folded.startsWith(prefix)) continue;
    const key = folded.slice(prefix.length);
    if (key !== '' && !values.has(key)) values.set(key, { name, value });
  }
  return values;
}

/**
 * One value per name. Headers take precedence over query parameters, and the first of several values over the others.
 */
function merged(query: readonly Pair[], headers: readonly Pair[], prefix: string): Map<string, Given> {
  const values = firstOfEach(query, prefix);
  for (const [key, { name, value }] of firstOfEach(headers, `service_${prefix}`)) {
    values.set(key, { name, value: headerText(value) });
  }
  return values;
}

/** Reports the faults of one parameter or header under the name as sent. */
type Report = (code: string, message: string) => undefined;

const reporter =
  (faults: FieldFault[], name: string): Report =>
  (code, message) => {
    faults.push({ path: jsonPointer([name]), code, message });
  };

type MetadataValue = PacketMetadata[MetadataName] & {};

function metadataValue(name: MetadataName, text: string, report: Report): MetadataValue | undefined {
  const value = text.trim();
  if (name === 'duplicate') {
    const word = value.toLowerCase();
    return word === 'true' || word === 'false' ? word === 'true' : report('invalid_type', wording.boolean);
  }
  if (name === 'external_id') {
    return readExternalId(value) ?? report('invalid_format', wording.uuidV4);
  }
  if (name === 'till_sequence') {
    const number = /^\d{1,16}$/.test(value) ? Number(value) : NaN;
    return Number.isSafeInteger(number) ? number : report('invalid_type', wording.integer);
  }
  if (value === '') return report('too_small', mustBeAtLeast(1, 'string'));
  if (value.length <= metadataCharactersMax) return value;
  return report('too_big', mustBeAtMost(metadataCharactersMax, 'string'));
}

function readMetadata(given: ReadonlyMap<string, Given>, faults: FieldFault[]): PacketMetadata {
  const metadata: Record<string, MetadataValue> = {};
  for (const name of metadataNames) {
    const sent = given.get(name);
    const value = sent && metadataValue(name, sent.value, reporter(faults, sent.name));
    if (value !== undefined) metadata[name] = value;
  }
  return metadata;
}

const linkPattern = /^\s*([^\s;,]+)\s*;\s*label\s*=\s*(?:"([^"]*)"|([^\s";,]+))\s*$/i;

function readAttachments(headers: readonly Pair[], faults: FieldFault[]): AttachmentLink[] {
  const links: AttachmentLink[] = [];
  const labels = new Set<string>();
  for (const [name, value] of headers) {
    if (fold(name) !== 'service_attachment_id') continue;
    const report = reporter(faults, name);
    for (const entry of value.split(',')) {
      const [, id, quoted, plain] = linkPattern.exec(entry) ?? [];
      const label = quoted ?? plain ?? '';
      if (id === undefined) report('invalid_format', 'must be <attachment_id>; label=<label>');
      else if (!attachmentLabelPattern.test(label) || label === '__proto__')
        report('invalid_format', `must have a label that matches ${attachmentLabelPattern.source}`);
      else if (labels.has(label)) report('repeated', `must not repeat the label ${label}`);
      else if (links.length >= attachmentsMax)
        report('too_big', `must have at most ${attachmentsMax} attachments`);
      else {
        labels.add(label);
        links.push({ id, label });
        continue;
      }
      return links;
    }
  }
  return links;
}

function readProperties(query: readonly Pair[], headers: readonly Pair[], faults: FieldFault[]) {
  const properties = [...merged(query, headers, 'property_')];
  const [, excess] = properties[propertiesMax] ?? [];
  if (excess) {
    reporter(faults, excess.name)('too_big', `must be one of at most ${propertiesMax} properties`);
  }
  return Object.fromEntries(properties.map(([key, { value }]) => [key, value]));
}

function isKnownQueryName(name: string): boolean {
  const folded = fold(name);
  return folded.startsWith('property_') || (metadataNames as readonly string[]).includes(folded);
}

/** @throws ServiceError 422 for an identifier that the receipt could not have; see `identifierText` */
function checkIdentifier({ identifier }: PacketMetadata, sent: Given | undefined): void {
  if (identifier === undefined || sent === undefined || !isRouteName(identifier)) return;
  const errors = [{ path: jsonPointer([sent.name]), ...routeNameFault }];
  throw new ServiceError(schemaValidationFailed, { errors });
}

const noFacts: PacketFacts = Object.freeze({ metadata: {}, properties: {}, attachments: [] });

/**
 * Reads a packet's metadata, properties and attachment links from a request.
 * @throws ServiceError 400 `invalid_parameter` with all faults, each under the name of the parameter or header; 422 for an
 *   identifier that begins with `_`
 */
export function readPacketFacts(query: readonly Pair[], headers: readonly Pair[]): PacketFacts {
  if (query.length === 0 && headers.length === 0) return noFacts;
  const faults: FieldFault[] = [];
  for (const [name] of query) {
    if (!isKnownQueryName(name)) reporter(faults, name)('unknown_parameter', wording.unknownParameter);
  }
  const given = merged(query, headers, '');
  const metadata = readMetadata(given, faults);
  const attachments = readAttachments(headers, faults);
  const properties = readProperties(query, headers, faults);
  const agent = readAgentFacts(
    (name) => given.get(name)?.value,
    (name) => reporter(faults, given.get(name)?.name ?? name),
  );
  if (faults.length > 0) throw invalidParameters(faults);
  checkIdentifier(metadata, given.get('identifier'));
  return { metadata, properties, attachments, ...(agent && { agent }) };
}
