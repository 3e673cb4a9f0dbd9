import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeSettings, parseSettings } from '@receipts/host';
import { gatewayConflicts, gatewaySettings } from './config';

it('docs/settings.md describes every setting with its default', () => {
  const docs = readFileSync(path.join(__dirname, '../../../docs/settings.md'), 'utf8');
  const rows = docs.split('\n').map((line) => line.split(' | '));
  for (const { name, description, default: value, required } of describeSettings(gatewaySettings)) {
    const row = rows.find(([first]) => first === `| \`${name}\``);
    const shown = value ? `\`${value}\`` : required ? 'required' : 'none';
    const listed = row?.[1]?.replaceAll('"', '').replace(/^``$/, 'none');
    expect([name, listed, row?.[3]]).toEqual([name, shown, `${description} |`]);
  }
});

it.each([
  ['MAX_BODY_BYTES', 4 * 1024 * 1024],
  ['MAX_ATTACHMENT_BYTES', 15 * 1024 * 1024],
  ['MAX_QUERY_BYTES', 64 * 1024],
  ['MAX_HEADER_BYTES', 64 * 1024],
  ['MAX_HEADERS_BYTES', 64 * 1024],
] as const)('%s is at most %d', (name, max) => {
  const declared = { [name]: gatewaySettings[name] };
  expect(parseSettings(declared, { [name]: String(max) })).toEqual({ [name]: max });
  expect(() => parseSettings(declared, { [name]: String(max + 1) })).toThrow(
    `${name} must be at most ${max}`,
  );
});

it('requires the certificate and its key together', () => {
  const declared = {
    TLS_CERT_FILE: gatewaySettings.TLS_CERT_FILE,
    TLS_KEY_FILE: gatewaySettings.TLS_KEY_FILE,
  };
  const read = (env: object) => parseSettings(declared, { ...env }, gatewayConflicts);
  for (const one of [{ TLS_CERT_FILE: 'cert.pem' }, { TLS_KEY_FILE: 'key.pem' }])
    expect(() => read(one)).toThrow('TLS_CERT_FILE and TLS_KEY_FILE must be set together');
  expect(read({})).toEqual({});
  expect(read({ TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' })).toMatchObject({
    TLS_KEY_FILE: 'key.pem',
  });
});
