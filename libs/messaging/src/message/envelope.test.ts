import { packEnvelope, unpackEnvelope } from './envelope';

const packed = (id: number, body: string) => {
  const bytes = Buffer.from(body);
  return { head: JSON.stringify({ id, n: bytes.length }), body: bytes };
};

describe('an envelope', () => {
  test('returns each header and the original bytes of each body', () => {
    const envelope = packEnvelope([packed(1, '{"ä" : 1}'), packed(2, ''), packed(3, '\u0000\u20ac')]);
    const items = unpackEnvelope<{ id: number; n: number }>(envelope);
    expect(items.map(({ header }) => header.id)).toEqual([1, 2, 3]);
    expect(items.map(({ body }) => body.toString())).toEqual(['{"ä" : 1}', '', '\u0000\u20ac']);
  });

  test('starts with the length of its headers, in four bytes', () => {
    const envelope = packEnvelope([{ head: '{"id":7,"n":2}', body: Buffer.from('ok') }]);
    expect(envelope.readUInt32BE(0)).toBe('[{"id":7,"n":2}]'.length);
    expect(envelope.toString('utf8', 4)).toBe('[{"id":7,"n":2}]ok');
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['a length beyond the end', Buffer.from([0, 0, 1, 0, 0x5b])],
    ['a body that is not JSON', Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from('[}')])],
    ['a body that is not a list', Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from('{}')])],
    ['a body that is too short', packEnvelope([{ head: '{"n":3}', body: Buffer.from('ok') }])],
    ['a body that is too long', packEnvelope([{ head: '{"n":1}', body: Buffer.from('ok') }])],
    ['a negative length', packEnvelope([{ head: '{"n":-1}', body: Buffer.from('ok') }])],
  ])('is rejected with %s', (_what, bytes) => {
    expect(() => unpackEnvelope(bytes)).toThrow();
  });
});
