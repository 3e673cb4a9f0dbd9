import { faultsMax, mustBeAtMost, wording } from '@receipts/kernel';
import { z } from 'zod';
import { isObject, type FreeObject } from '../shared/schema-checks';

/** The id of a previously posted attachment, or the attachment itself in base64. */
export type PostedAttachment =
  | { readonly id: string }
  | { readonly data: string; readonly content_type?: string; readonly content_disposition?: string };

export const attachmentsMax = 20;
export const attachmentLabelPattern = /^[A-Za-z0-9_.-]{1,64}$/;
const inlineBytesMax = 1024 * 1024;
const headerLengthMax = 1024;
const base64Pattern = /^[A-Za-z0-9+/]+={0,2}$/;
const linkMembers: ReadonlySet<string> = new Set(['id']);
const inlineMembers: ReadonlySet<string> = new Set(['data', 'content_type', 'content_disposition']);

interface Fault {
  readonly path: PropertyKey[];
  readonly code: string;
  readonly message: string;
}

/** The number of bytes that a base64 text encodes. */
function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

function addFaultsOfMembers(faults: Fault[], label: string, attachment: FreeObject): void {
  const isLink = Object.hasOwn(attachment, 'id');
  const isInline = Object.hasOwn(attachment, 'data');
  if (isLink === isInline) {
    faults.push({ path: [label], code: 'exclusive', message: 'exactly one of id and data must be given' });
  }
  for (const [key, value] of Object.entries(attachment)) {
    if (faults.length >= faultsMax) return;
    const path = [label, key];
    const isKnown = linkMembers.has(key) || (inlineMembers.has(key) && !(isLink && !isInline));
    if (!isKnown) faults.push({ path, code: 'unknown_field', message: wording.unknownField });
    else if (typeof value !== 'string') faults.push({ path, code: 'invalid_type', message: wording.string });
    else if (key === 'data') {
      if (value === '' || !base64Pattern.test(value)) {
        faults.push({ path, code: 'invalid_format', message: wording.base64 });
      }
    } else if (value === '' || value.length > headerLengthMax || /[\r\n\0]/.test(value)) {
      faults.push({ path, code: 'invalid_format', message: 'must be one line of text' });
    }
  }
}

/** Not a Zod record, which would ignore a key named `__proto__`. */
function faultsOf(value: unknown): Fault[] {
  if (!isObject(value)) return [{ path: [], code: 'invalid_type', message: wording.object }];
  const faults: Fault[] = [];
  const entries = Object.entries(value);
  if (entries.length > attachmentsMax) {
    faults.push({ path: [], code: 'too_big', message: mustBeAtMost(attachmentsMax, 'object') });
  }
  let inlineBytes = 0;
  for (const [label, attachment] of entries) {
    if (faults.length >= faultsMax) return faults;
    if (!attachmentLabelPattern.test(label) || label === '__proto__') {
      faults.push({
        path: [label],
        code: 'invalid_key',
        message: `must match ${attachmentLabelPattern.source}`,
      });
    } else if (!isObject(attachment)) {
      faults.push({ path: [label], code: 'invalid_type', message: wording.object });
    } else {
      addFaultsOfMembers(faults, label, attachment);
      const { data } = attachment;
      if (typeof data === 'string') inlineBytes += decodedLength(data);
    }
  }
  if (inlineBytes > inlineBytesMax) {
    const message = 'must have at most 1 MiB of inline data in total';
    faults.push({ path: [], code: 'attachments_too_big', message });
  }
  return faults;
}

export const postedAttachments = z
  .unknown()
  .superRefine((value, ctx) => {
    for (const { path, code, message } of faultsOf(value)) {
      ctx.addIssue({ code: 'custom', path, message, params: { code } });
    }
  })
  .meta({
    type: 'object',
    description:
      'Files that belong to the receipt, by label. At most 20 files, and 1 MiB of inline data in all.',
    maxProperties: attachmentsMax,
    propertyNames: { pattern: attachmentLabelPattern.source },
    additionalProperties: {
      type: 'object',
      properties: {
        id: {
          type: 'string',
          description:
            'The id of an attachment that `POST /attachments` has stored. Cannot be combined with `data`.',
        },
        data: {
          type: 'string',
          contentEncoding: 'base64',
          description: 'The content of the attachment in base64. Cannot be combined with `id`.',
        },
        content_type: {
          type: 'string',
          description: 'The media type of `data`. Defaults to `application/octet-stream`.',
        },
        content_disposition: {
          type: 'string',
          description: 'A Content-Disposition header, which gives `data` a file name.',
        },
      },
      oneOf: [{ required: ['id'] }, { required: ['data'] }],
      additionalProperties: false,
    },
  }) as unknown as z.ZodType<
  Readonly<Record<string, PostedAttachment>>,
  Readonly<Record<string, PostedAttachment>>
>;
