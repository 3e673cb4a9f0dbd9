import { createPublicKey, verify, type KeyObject } from 'node:crypto';

const shortLengthMax = 0x7f;

/** A DER element (X.690). */
export function tlv(tag: number, value: Buffer): Buffer {
  const length = value.length;
  let bytes: number[];
  if (length <= shortLengthMax) bytes = [length];
  else if (length <= 0xff) bytes = [0x81, length];
  else bytes = [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), value]);
}

interface Curve {
  /** The start of a public key on this curve, as SubjectPublicKeyInfo (RFC 5480), up to the point. */
  readonly prefix: Buffer;
  /** The length of an uncompressed point. */
  readonly pointBytes: number;
}

/** The curves of TR-03116-5: those of NIST (RFC 5480) and Brainpool (RFC 5639), and the DER of their identifiers. */
const curves: readonly Curve[] = [
  { fieldBytes: 32, oid: '06082a8648ce3d030107' },
  { fieldBytes: 48, oid: '06052b81040022' },
  { fieldBytes: 66, oid: '06052b81040023' },
  { fieldBytes: 32, oid: '06092b2403030208010107' },
  { fieldBytes: 48, oid: '06092b240303020801010b' },
  { fieldBytes: 64, oid: '06092b240303020801010d' },
].map(({ fieldBytes, oid }) => {
  const pointBytes = 1 + 2 * fieldBytes;
  const algorithm = tlv(0x30, Buffer.from(`06072a8648ce3d0201${oid}`, 'hex'));
  const point = tlv(0x03, Buffer.alloc(1 + pointBytes));
  const key = tlv(0x30, Buffer.concat([algorithm, point]));
  return { prefix: key.subarray(0, key.length - pointBytes), pointBytes };
});

export interface SignerKey {
  readonly key: KeyObject;
  /** The uncompressed point. */
  readonly point: Buffer;
}

function keyOn({ prefix }: Curve, point: Buffer): SignerKey | undefined {
  try {
    return {
      key: createPublicKey({ key: Buffer.concat([prefix, point]), format: 'der', type: 'spki' }),
      point,
    };
  } catch {
    // The point is not on this curve.
    return undefined;
  }
}

/**
 * A public key on a curve of TR-03116-5: a SubjectPublicKeyInfo, or a bare point, whose curve is found by trying those
 * of its length. The bytes must equal an encoding that this function itself makes, so that nobody can make it parse
 * curves with parameters of their own. Undefined for anything else.
 */
export function readSignerKey(bytes: Buffer): SignerKey | undefined {
  for (const curve of curves) {
    const { prefix, pointBytes } = curve;
    const start = bytes.length - pointBytes;
    const isPoint = start === 0;
    if (!isPoint && (start !== prefix.length || !bytes.subarray(0, start).equals(prefix))) continue;
    const found = keyOn(curve, bytes.subarray(start));
    if (found) return found;
  }
  return undefined;
}

/** The tag of a DER sequence. A plain signature may begin with it too, but then has another length. */
const sequenceTag = 0x30;

/**
 * Whether an ECDSA signature is valid. It is in plain format (r||s, TR-03111); some devices write DER instead.
 * @param hash a digest that OpenSSL knows, such as `sha256`
 */
export function isSignatureValid(
  hash: string,
  message: Buffer,
  { key }: SignerKey,
  signature: Buffer,
): boolean {
  const isValidAs = (dsaEncoding: 'ieee-p1363' | 'der') => {
    try {
      return verify(hash, message, { key, dsaEncoding }, signature);
    } catch {
      return false;
    }
  };
  return isValidAs('ieee-p1363') || (signature[0] === sequenceTag && isValidAs('der'));
}
