import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';

/** Encrypts secrets that must be readable again, such as the shared secrets of clients, before they are stored. */
export interface Sealer {
  /** Encrypts a text with the current key. The result for the same text is different each time. */
  seal(text: string): string;
  /** @throws SealError if the text is damaged or was sealed with an unknown key */
  open(sealed: string): string;
}

/** Its message never contains the content. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
const format = 's1';

function keyOf(encoded: string) {
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== keyBytes || bytes.toString('base64') !== encoded) {
    throw new SealError('a master key must be 32 bytes in base64');
  }
  const id = createHash('sha256').update('receipts master key').update(bytes).digest('hex').slice(0, 8);
  return { id, key: createSecretKey(bytes) };
}

/**
 * @param masterKey 32 bytes in base64, or several such keys separated by commas: the first key seals, all of them
 * open
 * @returns a sealer whose texts have the form `s1.<key id>.<iv, tag and ciphertext in base64url>`
 */
export function sealer(masterKey: string): Sealer {
  const keys = masterKey.split(',').map(keyOf);
  const [current] = keys;
  if (!current) throw new SealError('no master key is configured');
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  const associated = (id: string) => Buffer.from(`${format}.${id}`);
  return {
    seal(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, current.key, iv).setAAD(associated(current.id));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const packed = Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
      return `${format}.${current.id}.${packed}`;
    },
    open(sealed) {
      const [made, id = '', packed = '', ...rest] = sealed.split('.');
      const key = byId.get(id);
      if (made !== format || rest.length > 0) throw new SealError('this is not a sealed value');
      if (!key) throw new SealError(`the value was sealed with the unknown key ${id.slice(0, 8)}`);
      const bytes = Buffer.from(packed, 'base64url');
      if (bytes.length < ivBytes + tagBytes) throw new SealError('the sealed value is damaged');
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes))
        .setAAD(associated(id))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        const opened = [decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()];
        return Buffer.concat(opened).toString('utf8');
      } catch {
        throw new SealError('the sealed value is damaged');
      }
    },
  };
}
