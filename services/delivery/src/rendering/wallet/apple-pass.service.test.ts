import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inflateSync, crc32 } from 'node:zlib';
import { passCertificate } from '@receipts/testing';
import { pngOf } from '../../testing/png';
import { brandedSettings, fullReceipt } from '../../testing/rendered-samples';
import { itemOf } from '../../testing/samples';
import { logoOf } from '../images/logo';
import { viewOf } from '../view/view';
import { appleWallet, applePass } from './apple-pass';

const given = passCertificate();
const signer = appleWallet.parse(given);
const page = 'https://receipts.example/r/token';
const view = viewOf(fullReceipt(), brandedSettings);
const now = new Date('2026-03-14T12:00:00Z');

/** The files of an archive, by its directory. */
function filesIn(archive: Buffer): Map<string, Buffer> {
  const end = archive.length - 22;
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const name = archive.toString('utf8', at + 46, at + 46 + archive.readUInt16LE(at + 28));
    const start = archive.readUInt32LE(at + 42) + 30 + name.length;
    const content = archive.subarray(start, start + archive.readUInt32LE(at + 24));
    expect(crc32(content)).toBe(archive.readUInt32LE(at + 16));
    files.set(name, content);
    at += 46 + name.length;
  }
  expect(at).toBe(end);
  return files;
}

const filesOf = (...args: Parameters<typeof applePass>) => filesIn(applePass(...args));
const sha1 = (content: Buffer) => createHash('sha1').update(content).digest('hex');

it('contains the receipt, icons, and the digest of each file', () => {
  const logo = logoOf(pngOf(320, 80));
  const files = filesOf(view, { id: 'r1', page, logo }, signer, now);
  const { signature: _signature, 'manifest.json': manifest, ...others } = Object.fromEntries(files);
  expect(JSON.parse(String(manifest))).toEqual(
    Object.fromEntries(Object.entries(others).map(([name, content]) => [name, sha1(content)])),
  );
  expect(Object.keys(others)).toEqual([
    'pass.json',
    'icon.png',
    'icon@2x.png',
    'icon@3x.png',
    'logo.png',
    'logo@2x.png',
  ]);
  const pass = JSON.parse(String(files.get('pass.json')));
  expect(pass).toMatchObject({
    formatVersion: 1,
    passTypeIdentifier: 'pass.example.receipt',
    teamIdentifier: 'TEAM123456',
    serialNumber: 'r1',
    organizationName: 'Maison Lumière',
    backgroundColor: 'rgb(138, 21, 56)',
    foregroundColor: 'rgb(255, 255, 255)',
    voided: false,
    barcodes: [{ format: 'PKBarcodeFormatQR', message: page }],
    generic: { primaryFields: [{ label: 'Total', value: '€71.96' }] },
  });
  expect(pass.generic.backFields[0].value).toContain('Red cotton shirt  €49.98');
});

it('has icons that can be decoded', () => {
  const icon = filesOf(view, { id: 'r1', page }, signer, now).get('icon@3x.png') as Buffer;
  const [width, height, length] = [16, 20, 33].map((at) => icon.readUInt32BE(at));
  expect([width, height]).toEqual([87, 87]);
  const rows = inflateSync(icon.subarray(41, 41 + (length ?? 0)));
  expect(rows).toHaveLength(87 * (1 + 3 * 87));
  expect(rows.toString('hex', 1, 4)).toBe('8a1538');
});

it('limits the fields of a long receipt', () => {
  const items = Array.from({ length: 2_000 }, (_, n) => itemOf({ name: `Item ${n}` }));
  const long = viewOf(fullReceipt({ items }), brandedSettings);
  const pass = JSON.parse(String(filesOf(long, { id: 'r1', page }, signer, now).get('pass.json')));
  expect(pass.generic.backFields[0].value.length).toBeLessThan(4_100);
  expect(pass.generic.backFields[0].value).toMatch(/\n…$/);
});

const isOpensslInstalled = spawnSync('openssl', ['version']).error === undefined;

(isOpensslInstalled ? it : it.skip)('has a signature that OpenSSL verifies, of this manifest only', () => {
  const files = filesOf(view, { id: 'r1', page }, signer, now);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pass-'));
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const manifest = files.get('manifest.json') as Buffer;
  const arguments_ = (content: Buffer) => [
    'cms',
    '-verify',
    '-inform',
    'DER',
    '-binary',
    '-purpose',
    'any',
    '-in',
    file('signature', files.get('signature') as Buffer),
    '-content',
    file('manifest', content),
    '-CAfile',
    file('ca.pem', given.intermediate),
  ];
  const verified = spawnSync('openssl', arguments_(manifest));
  expect([verified.status, verified.stderr.toString()]).toEqual([0, expect.stringContaining('successful')]);
  expect(spawnSync('openssl', arguments_(Buffer.from('{}'))).status).not.toBe(0);
  rmSync(folder, { recursive: true });
});

it.each([
  [
    'another key',
    { ...given, private_key: passCertificate().private_key },
    'must be the key of the certificate',
  ],
  [
    'another certificate',
    { ...given, certificate: given.intermediate, private_key: given.private_key },
    'must',
  ],
  ['no certificate', { ...given, certificate: 'x' }, 'must contain certificates and a key in PEM'],
  ['no intermediate', { ...given, intermediate: '' }, ''],
])('does not accept %s', (_what, settings, message) => {
  const result = appleWallet.safeParse(settings);
  expect(result.success).toBe(false);
  expect(result.error?.issues[0]?.message).toContain(message);
});
