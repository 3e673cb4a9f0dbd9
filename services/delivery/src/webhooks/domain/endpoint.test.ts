import { disabled, newEndpoint, rotationMs, signingSecrets, withNewSecret, withSettings } from './endpoint';

const now = new Date('2026-05-17T10:00:00Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const made = newEndpoint(
  { id: 'e', retailer: 'r', readUpTo: 0, sealedSecret: 's1' },
  { url: 'https://a.example/' },
  now,
);
const sealed = (at: Date, record = made) => signingSecrets(record, at).map((secret) => secret.sealed);

it('has the defaults of the interface', () => {
  expect(made.settings).toEqual({
    url: 'https://a.example/',
    description: null,
    event_types: ['*'],
    filter: null,
    payload: 'thin',
    ordering: 'none',
    enabled: true,
  });
});

it('also signs with an old secret for a day, even after another rotation', () => {
  const once = withNewSecret(made, 's2', 'call 2', now);
  const twice = withNewSecret(once, 's3', 'call 3', later(60_000));
  expect(sealed(now, once)).toEqual(['s2', 's1']);
  expect(sealed(later(rotationMs - 1), once)).toEqual(['s2', 's1']);
  expect(sealed(later(rotationMs), once)).toEqual(['s2']);
  expect(sealed(later(60_000), twice)).toEqual(['s3', 's2', 's1']);
  expect(sealed(later(rotationMs), twice)).toEqual(['s3', 's2']);
});

it('keeps the reason for being disabled until it is enabled again', () => {
  const gone = disabled(made, 'gone', now);
  expect([gone.settings.enabled, gone.disabledReason]).toEqual([false, 'gone']);
  expect(disabled(gone, 'failing', now)).toBe(gone);
  const renamed = withSettings(gone, { ...gone.settings, description: 'x' }, now);
  expect(renamed.disabledReason).toBe('gone');
  expect(withSettings(renamed, { ...renamed.settings, enabled: true }, now).disabledReason).toBeNull();
  expect(withSettings(made, { ...made.settings }, later(1))).toBe(made);
});
