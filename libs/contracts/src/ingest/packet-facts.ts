import { invalidParameter, schemaValidationFailed, ServiceError, type FieldFault } from '@receipts/kernel';
import { z } from 'zod';

/**
 * The data of a raw receipt besides its bytes: metadata with a fixed meaning, free properties for the mapping, and links
 * to attachments. All of it is sent in headers; metadata and properties may also be query parameters.
 */

const externalIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Normalizes an external id, a UUIDv4, to lower case. Undefined if it is invalid. */
export function readExternalId(value: string): string | undefined {
  const id = value.trim().toLowerCase();
  return externalIdPattern.test(id) ? id : undefined;
}

export const attachmentLabelPattern = /^[A-Za-z0-9_.-]{1,64}$/;
export const attachmentLabelsMax = 20;
export const propertiesMax = 100;
export const metadataCharactersMax = 255;

export const packetMetadata = z.strictObject({
  duplicate: z.boolean().optional(),
  external_id: z.string().optional(),
  transaction_id: z.string().optional(),
  store_reference: z.string().optional(),
  till_id: z.string().optional(),
  till_uuid: z.string().optional(),
  source_id: z.string().optional(),
  source_read: z.string().optional(),
  entry_id: z.string().optional(),
  identifier: z.string().optional(),
  mapping: z.string().optional(),
});
export type PacketMetadata = z.output<typeof packetMetadata>;

/** The metadata of `POST /pos/receipts`. `source_read` and `entry_id` are part of `POST /pos/data` only. */
export const metadataNames = [
  'duplicate',
  'external_id',
  'transaction_id',
  'store_reference',
  'till_id',
  'till_uuid',
  'source_id',
  'identifier',
  'mapping',
] as const;
type MetadataName = (typeof metadataNames)[number];

export const attachmentLink = z.strictObject({ id: z.string(), label: z.string() });
export type AttachmentLink = z.output<typeof attachmentLink>;

export interface PacketFacts {
  readonly metadata: PacketMetadata;
  readonly properties: Readonly<Record<string, string>>;
  readonly attachments: readonly AttachmentLink[];
}

type Pair = readonly [name: string, value: string];

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a header value. Node.js decodes headers as latin1, but tills send UTF-8. A value that is not valid UTF-8 is
 * returned as it is.
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

function firstOfEach(pairs: readonly Pair[], prefix: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    const folded = fold(name);
    if (!folded.startsWith(prefix)) continue;
    const key = folded.slice(prefix.length);
    if (key !== '' && !values.has(key)) values.set(key, value);
  }
  return values;
}

/**
 * One value per name. Headers take precedence over query parameters, and the first of several values over the others.
 */
function merged(query: readonly Pair[], headers: readonly Pair[], prefix: string): Map<string, string> {
  const values = firstOfEach(query, prefix);
  for (const [key, value] of firstOfEach(headers, `service_${prefix}`)) values.set(key, headerText(value));
  return values;
}

function metadataValue(name: MetadataName, text: string, faults: FieldFault[]): string | boolean | undefined {
  const fault = (code: string, message: string) => {
    faults.push({ path: `/${name}`, code, message });
    return undefined;
  };
  const value = text.trim();
  if (name === 'duplicate') {
    const word = value.toLowerCase();
    return word === 'true' || word === 'false'
      ? word === 'true'
      : fault('invalid_type', 'must be true or false');
  }
  if (name === 'external_id') {
    return readExternalId(value) ?? fault('invalid_format', 'must be a UUIDv4');
  }
  if (value.length >= 1 && value.length <= metadataCharactersMax) return value;
  return fault('out_of_range', `must have 1 to ${metadataCharactersMax} characters`);
}

function readMetadata(
  query: readonly Pair[],
  headers: readonly Pair[],
  faults: FieldFault[],
): PacketMetadata {
  const given = merged(query, headers, '');
  const metadata: Record<string, string | boolean> = {};
  for (const name of metadataNames) {
    const text = given.get(name);
    const value = text === undefined ? undefined : metadataValue(name, text, faults);
    if (value !== undefined) metadata[name] = value;
  }
  return metadata;
}

const linkPattern = /^\s*([^\s;,]+)\s*;\s*label\s*=\s*(?:"([^"]*)"|([^\s";,]+))\s*$/i;

function readAttachments(headers: readonly Pair[], faults: FieldFault[]): AttachmentLink[] {
  const links: AttachmentLink[] = [];
  const labels = new Set<string>();
  const fault = (code: string, message: string) =>
    faults.push({ path: `/attachments/${links.length}`, code, message });
  for (const [name, value] of headers) {
    if (fold(name) !== 'service_attachment_id') continue;
    for (const entry of value.split(',')) {
      const [, id, quoted, plain] = linkPattern.exec(entry) ?? [];
      const label = quoted ?? plain ?? '';
      if (id === undefined) fault('invalid_format', 'must be <attachment_id>; label=<label>');
      else if (!attachmentLabelPattern.test(label) || label === '__proto__')
        fault('invalid_format', 'the label is invalid');
      else if (labels.has(label)) fault('repeated', 'the label is used twice');
      else if (links.length >= attachmentLabelsMax)
        fault('out_of_range', `there are more than ${attachmentLabelsMax} attachments`);
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

function isKnownQueryName(name: string): boolean {
  const folded = fold(name);
  return folded.startsWith('property_') || (metadataNames as readonly string[]).includes(folded);
}

const noFacts: PacketFacts = Object.freeze({ metadata: {}, properties: {}, attachments: [] });

/**
 * Reads a packet's metadata, properties and attachment links from a request.
 * @throws ServiceError 400 for an unknown query parameter, 422 with all errors of the metadata.
 */
export function readPacketFacts(query: readonly Pair[], headers: readonly Pair[]): PacketFacts {
  if (query.length === 0 && headers.length === 0) return noFacts;
  const unknown = query.filter(([name]) => !isKnownQueryName(name));
  if (unknown.length > 0) {
    throw new ServiceError(invalidParameter, {
      errors: unknown.map(([name]) => ({
        path: `/${name}`,
        code: 'unknown_parameter',
        message: 'is not a known parameter',
      })),
    });
  }
  const faults: FieldFault[] = [];
  const metadata = readMetadata(query, headers, faults);
  const attachments = readAttachments(headers, faults);
  const properties = merged(query, headers, 'property_');
  if (properties.size > propertiesMax) {
    faults.push({
      path: '/properties',
      code: 'out_of_range',
      message: `there are more than ${propertiesMax} properties`,
    });
  }
  if (faults.length > 0) throw new ServiceError(schemaValidationFailed, { errors: faults });
  return { metadata, properties: Object.fromEntries(properties), attachments };
}
