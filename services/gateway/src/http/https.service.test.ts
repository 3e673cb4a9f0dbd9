import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, type RequestOptions } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { certificateOf } from '../config';
import { authorization, startHarness, type Harness } from '../testing/harness';
import type { Certificate } from './server';

const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-https-'));
const files = { TLS_CERT_FILE: path.join(folder, 'cert.pem'), TLS_KEY_FILE: path.join(folder, 'key.pem') };
let certificate: Certificate;
let gateway: Harness;

beforeAll(async () => {
  const subject = ['-subj', '/CN=gateway', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];
  const out = ['-keyout', files.TLS_KEY_FILE, '-out', files.TLS_CERT_FILE];
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...out], { stdio: 'ignore' });
  certificate = certificateOf(files) as Certificate;
  gateway = await startHarness({ certificate, httpsOnly: true });
});
afterAll(async () => {
  await gateway?.close();
  rmSync(folder, { recursive: true });
});

const statusOf = (options: RequestOptions) =>
  new Promise<{ status: number | undefined; strict: unknown }>((resolve, reject) => {
    const url = `https://127.0.0.1:${gateway.port}/nothing`;
    get(
      url,
      {
        headers: authorization(),
        agent: false,
        ...options,
      },
      (res) => {
        res
          .resume()
          .once('end', () =>
            resolve({ status: res.statusCode, strict: res.headers['strict-transport-security'] }),
          );
      },
    ).once('error', reject);
  });

test('serves clients that trust its certificate, with Strict-Transport-Security', async () => {
  expect(await statusOf({ ca: certificate.cert })).toEqual({
    status: 404,
    strict: expect.stringContaining('max-age='),
  });
});

test('rejects clients that do not trust its certificate, use an old protocol, or do not use TLS', async () => {
  await expect(statusOf({})).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  await expect(statusOf({ ca: certificate.cert, maxVersion: 'TLSv1.1' })).rejects.toThrow();
  await expect(fetch(gateway.url)).rejects.toThrow();
});

test('reads the certificate and the key', () => {
  expect(certificateOf({ TLS_CERT_FILE: undefined, TLS_KEY_FILE: undefined })).toBeUndefined();
  expect(certificate.cert).toEqual(readFileSync(files.TLS_CERT_FILE));
});
