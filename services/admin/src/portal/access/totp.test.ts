import { Secret, TOTP } from 'otpauth';
import { newRecoveryCodes, newTotpSecret, periodOf, recoveryHash, totpAddress } from './totp';

const at = (seconds: number) => new Date(seconds * 1000);

it('accepts the codes of RFC 6238', () => {
  // Appendix B, with the last six of its eight digits.
  const secret = new Secret({ buffer: new TextEncoder().encode('12345678901234567890').buffer }).base32;
  expect(periodOf(secret, '287082', at(59))).toBe(1);
  expect(periodOf(secret, '081804', at(1_111_111_109))).toBe(37_037_036);
  expect(periodOf(secret, '005 924', at(1_234_567_890))).toBe(41_152_263);
});

it('accepts the codes of neighbouring periods, and no others', () => {
  const secret = newTotpSecret();
  const codeAt = (seconds: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: seconds * 1000 });
  const now = 1_800_000_000;
  expect([-30, 0, 30].map((off) => periodOf(secret, codeAt(now + off), at(now)))).toEqual(
    [-1, 0, 1].map((off) => now / 30 + off),
  );
  for (const wrong of [codeAt(now - 90), codeAt(now + 90), '', '12345', 'abcdef', '1234567'])
    expect(periodOf(secret, wrong, at(now))).toBeUndefined();
});

it('names the user and the platform in the address for authenticators', () => {
  const address = new URL(totpAddress(newTotpSecret(), 'jo@demo.example', 'Demo'));
  expect(address.protocol).toBe('otpauth:');
  expect(address.searchParams.get('issuer')).toBe('Demo');
  expect(decodeURIComponent(address.pathname)).toContain('Demo:jo@demo.example');
});

it('creates different recovery codes that are compared without case and separators', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    expect(recoveryHash(code.toUpperCase().replaceAll('-', ' '))).toBe(recoveryHash(code));
  }
});
