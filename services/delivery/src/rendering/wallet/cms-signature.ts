import { createHash, sign, type KeyObject, type X509Certificate } from 'node:crypto';
import { der, membersOf, tags } from './der';

const objectId = (hex: string) => der(tags.objectId, Buffer.from(hex, 'hex'));
const ids = {
  data: objectId('2a864886f70d010701'), // 1.2.840.113549.1.7.1
  signedData: objectId('2a864886f70d010702'), // 1.2.840.113549.1.7.2
  contentType: objectId('2a864886f70d010903'), // 1.2.840.113549.1.9.3
  messageDigest: objectId('2a864886f70d010904'), // 1.2.840.113549.1.9.4
  signingTime: objectId('2a864886f70d010905'), // 1.2.840.113549.1.9.5
  sha256: objectId('608648016503040201'), // 2.16.840.1.101.3.4.2.1
  rsa: objectId('2a864886f70d010101'), // 1.2.840.113549.1.1.1
} as const;

const sequence = (...members: readonly Uint8Array[]) => der(tags.sequence, ...members);
const version = der(tags.integer, Buffer.from([1]));
const noParameters = der(tags.null);
const digestAlgorithm = sequence(ids.sha256, noParameters);

/** `YYMMDDhhmmssZ` (RFC 5280, 4.1.2.5.1). */
const utcTime = (at: Date) =>
  der(
    tags.utcTime,
    Buffer.from(
      `${at
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  );

/** The issuer and the serial number of a certificate (RFC 5280, 4.1). */
function identityOf({ raw }: X509Certificate): Buffer {
  const [content = Buffer.alloc(0)] = membersOf(raw);
  const members = membersOf(content).filter(([tag]) => tag !== tags.context0);
  const [serialNumber, , issuer] = members;
  if (!serialNumber || !issuer) throw new Error('the certificate has no issuer');
  return sequence(issuer, serialNumber);
}

export interface Signer {
  readonly certificate: X509Certificate;
  /** The RSA key of the certificate. */
  readonly key: KeyObject;
  /** The certificate of the issuer, which verifiers need. */
  readonly intermediate: X509Certificate;
}

/**
 * Signs content that is not part of the signature: SignedData with signed attributes (RFC 5652, 5), also known as a
 * detached PKCS #7 signature.
 */
export function signatureOf(content: Buffer, { certificate, key, intermediate }: Signer, now: Date): Buffer {
  const attribute = (id: Buffer, value: Buffer) => sequence(id, der(tags.set, value));
  const digest = createHash('sha256').update(content).digest();
  // The members of a set are sorted by their encodings.
  const attributes = [
    attribute(ids.contentType, ids.data),
    attribute(ids.signingTime, utcTime(now)),
    attribute(ids.messageDigest, der(tags.octetString, digest)),
  ].toSorted((a, b) => a.compare(b));
  const signature = sign('sha256', der(tags.set, ...attributes), key);
  const signer = sequence(
    version,
    identityOf(certificate),
    digestAlgorithm,
    der(tags.context0, ...attributes),
    sequence(ids.rsa, noParameters),
    der(tags.octetString, signature),
  );
  const signed = sequence(
    version,
    der(tags.set, digestAlgorithm),
    sequence(ids.data),
    der(tags.context0, certificate.raw, intermediate.raw),
    der(tags.set, signer),
  );
  return sequence(ids.signedData, der(tags.context0, signed));
}
