/** The tags of ASN.1 types in the distinguished encoding rules (ITU-T X.690). */
export const tags = {
  integer: 0x02,
  octetString: 0x04,
  null: 0x05,
  objectId: 0x06,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
} as const;

const longLength = 0x80;

function lengthOf(bytes: number): Buffer {
  if (bytes < longLength) return Buffer.from([bytes]);
  const hex = bytes.toString(16);
  const octets = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([longLength | octets.length]), octets]);
}

/** Encodes a value with its tag. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

/** The encodings of the members of a sequence or set. */
export function membersOf(encoded: Buffer): readonly Buffer[] {
  const members: Buffer[] = [];
  for (let rest = contentOf(encoded); rest.length > 0;) {
    const member = rest.subarray(0, headLength(rest) + contentOf(rest).length);
    members.push(member);
    rest = rest.subarray(member.length);
  }
  return members;
}

const headLength = (encoded: Buffer) => {
  const length = encoded[1] ?? 0;
  return 2 + (length < longLength ? 0 : length - longLength);
};

function contentOf(encoded: Buffer): Buffer {
  const head = headLength(encoded);
  const length = head === 2 ? (encoded[1] ?? 0) : encoded.readUIntBE(2, head - 2);
  return encoded.subarray(head, head + length);
}
