import { decodeExtended, encodeExtended, parse } from 'content-disposition';
import { z } from 'zod';
import { headerText } from './packet-facts';

/** An attachment as a receipt shows it. */
export const attachmentView = z.object({
  id: z.string(),
  url: z.string(),
  content_type: z.string(),
  filename: z.string(),
  size: z.number().int(),
});
export type AttachmentView = z.output<typeof attachmentView>;

export const attachmentNotFound = {
  status: 404,
  code: 'attachment_not_found',
  description: 'attachment not found',
};

/** For a request that names an attachment which does not exist. */
export const unknownAttachment = {
  status: 422,
  code: 'attachment_not_found',
  description: 'attachment not found',
};

export const filenameMissing = {
  status: 400,
  code: 'filename_missing',
  description: 'a Content-Disposition header with a file name is required',
};

export const attachmentTooLarge = {
  status: 413,
  code: 'body_too_large',
  description: 'the attachment is too large',
};

const filenameCharactersMax = 255;

/** The last part of a path, without control, direction and reserved characters: safe to show and to save. */
export function safeFilename(name: string): string {
  const last = (name.split(/[/\\]/).at(-1) ?? '').slice(0, filenameCharactersMax * 2);
  return (
    last
      // eslint-disable-next-line no-control-regex -- Control characters are what is to be removed.
      .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff"<>:|?*]/g, '')
      .replace(/^[.\s]+|[.\s]+$/g, '')
      .slice(0, filenameCharactersMax)
  );
}

/**
 * The file name of a Content-Disposition header (RFC 6266; `filename*` wins over `filename`), made safe.
 * Undefined when there is none.
 */
export function filenameOf(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const { parameters } = parse(disposition, { extended: false });
  const extended = decodeExtended(parameters['filename*'] ?? '');
  const name = safeFilename(extended || headerText(parameters['filename'] ?? ''));
  return name === '' ? undefined : name;
}

/**
 * A Content-Disposition that makes a browser save the bytes and never show them. The name is always in quotes, which the
 * library's `create` leaves out around some names, and the name for old clients has no `%`, which some of them decode.
 */
export function attachmentDisposition(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  if (ascii === filename) return `attachment; filename="${ascii}"`;
  return `attachment; filename="${ascii}"; filename*=${encodeExtended(filename.toWellFormed())}`;
}

/** Headers for bytes that a stranger wrote: no browser may run them as a page of ours. */
export function untrustedContentHeaders(filename: string): Readonly<Record<string, string>> {
  return {
    'content-disposition': attachmentDisposition(filename),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
  };
}
