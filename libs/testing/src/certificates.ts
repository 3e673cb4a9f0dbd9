import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

function encode(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length = Buffer.from([0x82, content.length >> 8, content.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

const sequence = (...members: readonly Uint8Array[]) => encode(0x30, ...members);
const set = (...members: readonly Uint8Array[]) => encode(0x31, ...members);
const hex = (text: string) => Buffer.from(text, 'hex');
/** sha256WithRSAEncryption. */
const algorithm = sequence(hex('06092a864886f70d01010b'), hex('0500'));
const attributes = { CN: '0603550403', OU: '060355040b', UID: '060a0992268993f22c640101' } as const;

/** The basic constraints of a certificate authority (RFC 5280, 4.2.1.9). */
const authorityExtensions = encode(
  0xa3,
  sequence(sequence(hex('0603551d13'), hex('0101ff'), encode(0x04, hex('30030101ff')))),
);

const name = (values: Readonly<Partial<Record<keyof typeof attributes, string>>>) =>
  sequence(
    ...Object.entries(values).map(([key, value]) =>
      set(sequence(hex(attributes[key as keyof typeof attributes]), encode(0x0c, Buffer.from(value)))),
    ),
  );

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

function certificateOf(
  subject: Buffer,
  publicKey: KeyObject,
  issuer: { name: Buffer; key: KeyObject },
): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const time = (text: string) => encode(0x18, Buffer.from(text));
  const serialNumber = Buffer.concat([
    Buffer.from([1]),
    createHash('sha256').update(spki).digest().subarray(0, 15),
  ]);
  const content = sequence(
    encode(0xa0, hex('020102')),
    encode(0x02, serialNumber),
    algorithm,
    issuer.name,
    sequence(time('20200101000000Z'), time('20991231235959Z')),
    subject,
    spki,
    ...(subject === issuer.name ? [authorityExtensions] : []),
  );
  const signature = sign('sha256', content, issuer.key);
  return pem('CERTIFICATE', sequence(content, algorithm, encode(0x03, Buffer.from([0]), signature)));
}

/** A certificate like those of Apple for passes, its private key, and the certificate of its issuer, as PEM. */
export function passCertificate({ passTypeId = 'pass.example.receipt', teamId = 'TEAM123456' } = {}) {
  const [root, own] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
  if (!root || !own) throw new Error('no key was generated');
  const issuer = { name: name({ CN: 'Worldwide Developer Relations' }), key: root.privateKey };
  const subject = name({ UID: passTypeId, CN: `Pass Type ID: ${passTypeId}`, OU: teamId });
  return {
    certificate: certificateOf(subject, own.publicKey, issuer),
    private_key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    intermediate: certificateOf(issuer.name, root.publicKey, issuer),
  };
}
