import { decodeExtended, encodeExtended, parse } from 'content-disposition';
import { z } from 'zod';
import { headerText } from './packet-facts';

export { attachmentView, type AttachmentView } from '../shared/attachment-view';

export const attachmentParams = z.object({
  id: z.string().meta({ description: 'The id of the attachment.', examples: ['6a1f3c2b9d4e5f60718293a4'] }),
});

export const attachmentNotFound = {
  status: 404,
  code: 'attachment_not_found',
  description: 'attachment not found',
};

export const attachmentDeleted = {
  status: 410,
  code: 'attachment_deleted',
  description: 'the attachment was deleted',
};

/** The error of a request that references an attachment that does not exist. */
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

const filenameCharactersMax = 255;

/**
 * The last segment of a path, without control, bidirectional formatting and reserved characters, so that it is safe to
 * display and to save.
 */
export function safeFilename(name: string): string {
  const last = (name.split(/[/\\]/).at(-1) ?? '').slice(0, filenameCharactersMax * 2);
  return (
    last
      // oxlint-disable-next-line no-control-regex -- This expression removes control characters.
      .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff"<>:|?*]/g, '')
      .replace(/^[.\s]+|[.\s]+$/g, '')
      .slice(0, filenameCharactersMax)
  );
}

/**
 * The sanitized file name of a Content-Disposition header (RFC 6266; `filename*` takes precedence over `filename`).
 * Undefined if there is no file name.
 */
export function filenameOf(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const { parameters } = parse(disposition, { extended: false });
  const extended = decodeExtended(parameters['filename*'] ?? '');
  const name = safeFilename(extended || headerText(parameters['filename'] ?? ''));
  return name === '' ? undefined : name;
}

/**
 * A Content-Disposition that makes browsers save the content instead of showing it. The name is always quoted, which
 * the library's `create` does not do for all names. The name for old clients contains no `%`, because some of them
 * would decode it.
 */
export function attachmentDisposition(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  if (ascii === filename) return `attachment; filename="${ascii}"`;
  return `attachment; filename="${ascii}"; filename*=${encodeExtended(filename.toWellFormed())}`;
}

/** Headers for untrusted content, which prevent browsers from executing it in our origin. */
export function untrustedContentHeaders(filename: string): Readonly<Record<string, string>> {
  return {
    'content-disposition': attachmentDisposition(filename),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
  };
}

/** Headers of a receipt that is saved under its own name, and found by no search engine. */
export const receiptFileHeaders = (filename: string): Readonly<Record<string, string>> => ({
  'content-disposition': attachmentDisposition(filename),
  'x-robots-tag': 'noindex, nofollow',
});
