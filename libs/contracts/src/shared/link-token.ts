import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The target of a link that requires no credential. */
export interface LinkedReceipt {
  readonly retailer: string;
  readonly receiptId: string;
  /** Incremented when the links of a receipt are revoked; links of earlier generations become invalid. */
  readonly generation: number;
}

export interface LinkTokens {
  seal(linked: LinkedReceipt): string;
  /** Undefined for tokens that `seal` did not create with this secret. */
  open(token: string): LinkedReceipt | undefined;
}

const keyBytes = 32;
const tagBytes = 16;
const idBytes = 12;
const generationBytes = 2;
const generationMax = 2 ** (8 * generationBytes) - 1;
/** A retailer's name has at most 40 characters. */
const tokenBytesMax = tagBytes + generationBytes + idBytes + 40;
const tokenPattern = /^[A-Za-z0-9_-]+$/;

/** The links of gift receipts. `generation` is the version of the receipt that the gift receipt has created. */
export const giftTokens = (secret: string): LinkTokens => linkTokens(`${secret}\ngift`);

/**
 * Creates link tokens that are unguessable and opaque, and always the same for the same receipt, so that they need
 * not be stored. The tag over the plain text is also the initialisation vector of the cipher (SIV, RFC 5297).
 */
export function linkTokens(secret: string): LinkTokens {
  const keyFor = (use: string) =>
    Buffer.from(hkdfSync('sha256', secret, '', `receipt links: ${use}`, keyBytes));
  const tagKey = keyFor('tag');
  const cipherKey = keyFor('cipher');
  const tagOf = (plain: Buffer) => createHmac('sha256', tagKey).update(plain).digest().subarray(0, tagBytes);

  return {
    seal({ retailer, receiptId, generation }) {
      if (generation > generationMax)
        throw new RangeError('the links of a receipt were revoked too many times');
      const counter = Buffer.alloc(generationBytes);
      counter.writeUInt16BE(generation);
      const plain = Buffer.concat([counter, Buffer.from(receiptId, 'hex'), Buffer.from(retailer, 'latin1')]);
      const tag = tagOf(plain);
      const cipher = createCipheriv('aes-256-ctr', cipherKey, tag);
      return Buffer.concat([tag, cipher.update(plain), cipher.final()]).toString('base64url');
    },
    open(token) {
      if (!tokenPattern.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length <= tagBytes + generationBytes + idBytes || bytes.length > tokenBytesMax)
        return undefined;
      // Base64 can encode the same bytes in several ways; only the canonical encoding is valid.
      if (bytes.toString('base64url') !== token) return undefined;
      const tag = bytes.subarray(0, tagBytes);
      const decipher = createDecipheriv('aes-256-ctr', cipherKey, tag);
      const plain = Buffer.concat([decipher.update(bytes.subarray(tagBytes)), decipher.final()]);
      if (!timingSafeEqual(tagOf(plain), tag)) return undefined;
      return {
        generation: plain.readUInt16BE(0),
        receiptId: plain.toString('hex', generationBytes, generationBytes + idBytes),
        retailer: plain.toString('latin1', generationBytes + idBytes),
      };
    },
  };
}
