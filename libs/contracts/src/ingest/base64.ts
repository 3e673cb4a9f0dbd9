import { wording } from '@receipts/kernel';
import { z } from 'zod';

/** Decodes strict base64 (RFC 4648 section 4, with padding). Undefined if it is invalid. */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0) return undefined;
  const decoded = Buffer.from(text, 'base64');
  return decoded.toString('base64') === text ? decoded : undefined;
}

/** Raw data embedded in JSON. */
export const base64Text = z.string().refine((text) => decodeBase64(text) !== undefined, {
  message: wording.base64,
  params: { code: 'invalid_format' },
});
