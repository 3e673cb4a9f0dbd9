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

function decodeExtended(value: string): string | undefined {
  const [, charset, text] = /^([\w-]+)'[^']*'(.+)$/.exec(value) ?? [];
  if (charset === undefined || text === undefined) return undefined;
  try {
    if (charset.toLowerCase() === 'utf-8') return decodeURIComponent(text);
    return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  } catch {
    return undefined;
  }
}

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

const parameter = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/g;

/** The parameters of a Content-Disposition header, the first of each name. What stands in quotes is never a parameter. */
function parametersOf(disposition: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of disposition.matchAll(parameter)) {
    const folded = name.toLowerCase();
    if (!values.has(folded)) values.set(folded, quoted?.replace(/\\(.)/g, '$1') ?? plain);
  }
  return values;
}

/**
 * The file name of a Content-Disposition header (RFC 6266; `filename*` wins over `filename`), made safe.
 * Undefined when there is none.
 */
export function filenameOf(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const given = parametersOf(disposition);
  const extended = given.get('filename*');
  const text = headerText(given.get('filename') ?? '');
  const name = safeFilename((extended && decodeExtended(extended)) ?? text);
  return name === '' ? undefined : name;
}

/** A Content-Disposition that makes a browser save the bytes and never show them. */
export function attachmentDisposition(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  if (ascii === filename) return `attachment; filename="${ascii}"`;
  const encoded = encodeURIComponent(Buffer.from(filename).toString()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
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
