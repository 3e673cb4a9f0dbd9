import { randomBytes } from 'node:crypto';
import { SealError, sealer } from './sealing';

const key = () => randomBytes(32).toString('base64');

describe('a sealer', () => {
  test('opens what it sealed, and never seals the same way twice', () => {
    const { seal, open } = sealer(key());
    const text = 'whsec_geheim €';
    expect(open(seal(text))).toBe(text);
    expect(open(seal(''))).toBe('');
    expect(seal(text)).not.toBe(seal(text));
    expect(seal(text)).not.toContain('geheim');
  });

  test('opens values sealed with older keys, but does not seal with them', () => {
    const [older, newer] = [key(), key()];
    const sealed = sealer(older).seal('secret');
    const rotated = sealer(`${newer},${older}`);
    expect(rotated.open(sealed)).toBe('secret');
    expect(() => sealer(older).open(rotated.seal('secret'))).toThrow(SealError);
    expect(() => sealer(newer).open(sealed)).toThrow(SealError);
  });

  test('detects any change', () => {
    const { seal, open } = sealer(key());
    const sealed = seal('secret');
    const [format, id, packed = ''] = sealed.split('.');
    const bytes = Buffer.from(packed, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const damaged = Buffer.from(bytes);
      damaged[i] = (damaged[i] ?? 0) ^ 1;
      expect(() => open(`${format}.${id}.${damaged.toString('base64url')}`)).toThrow(SealError);
    }
    for (const wrong of ['', 'secret', `${sealed}.x`, `s2.${id}.${packed}`, `${format}.${id}.`]) {
      expect(() => open(wrong)).toThrow(SealError);
    }
  });

  test('rejects a key that is not 32 bytes', () => {
    expect(() => sealer(randomBytes(31).toString('base64'))).toThrow(SealError);
    expect(() => sealer('')).toThrow(SealError);
  });
});
