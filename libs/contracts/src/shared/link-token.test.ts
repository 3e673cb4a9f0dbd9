import { linkTokens } from './link-token';

const linked = { retailer: 'demo', receiptId: '6650f2c81b3c9a0012ab34cd', generation: 0 };

describe('linkTokens', () => {
  const tokens = linkTokens('a secret');

  it('returns the receipt, and reveals nothing about it', () => {
    const token = tokens.seal(linked);
    expect(tokens.open(token)).toEqual(linked);
    expect(tokens.seal(linked)).toBe(token);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('demo');
    expect(token).not.toContain(linked.receiptId);
  });

  it('differs by receipt, generation, retailer and secret', () => {
    const all = [
      tokens.seal(linked),
      tokens.seal({ ...linked, generation: 1 }),
      tokens.seal({ ...linked, retailer: 'acme' }),
      tokens.seal({ ...linked, receiptId: '6650f2c81b3c9a0012ab34ce' }),
      linkTokens('another secret').seal(linked),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(new Set(all.map((token) => token.slice(0, 10))).size).toBe(all.length);
  });

  it('rejects a token that was changed, shortened, lengthened, or made with another secret', () => {
    const token = tokens.seal(linked);
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(tokens.open(changed)).toBeUndefined();
      expect(tokens.open(token.slice(0, at))).toBeUndefined();
    }
    for (const other of [`${token}A`, `${token}=`, '', '.', '%00', linked.receiptId, 'A'.repeat(10_000)]) {
      expect(tokens.open(other)).toBeUndefined();
    }
    expect(tokens.open(linkTokens('another secret').seal(linked))).toBeUndefined();
  });
});
