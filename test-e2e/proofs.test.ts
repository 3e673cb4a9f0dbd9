import { execFile } from 'node:child_process';
import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { canonicalJson } from '@receipts/storage';
import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer, operator } from './harness/shared-platform';

let retailer: TestRetailer;
let anybody: Client;

beforeAll(async () => {
  retailer = await aRetailer({ response_links: true, timezone: 'Europe/Paris' });
  anybody = await anonymous();
});

interface Posted {
  readonly id: string;
  readonly page: string;
}

async function posted(overrides: object = {}): Promise<Posted> {
  const { status, body } = await retailer.api.post('/receipts', { ...aReceipt(), ...overrides });
  expect(status).toBe(201);
  return { id: body.id as string, page: new URL(body._links.webview.href as string).pathname };
}

const proofOf = async (id: string) => {
  const answer = await retailer.api.get(`/receipts/${id}/proof`);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/jose']);
  return answer.bytes.toString();
};
const keys = async () =>
  (await anybody.get('/.well-known/jwks.json')).body.keys as (JsonWebKey & { kid: string })[];
const partOf = (proof: string, index: number) =>
  JSON.parse(Buffer.from(proof.split('.')[index] ?? '', 'base64url').toString()) as Record<string, unknown>;
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const json = { accept: 'application/json' };
const jose = { 'content-type': 'application/jose', ...json };
const verified = (body: string | Buffer, type = 'application/jose', headers: Record<string, string> = json) =>
  anybody.call('/verify', { method: 'POST', body, headers: { 'content-type': type, ...headers } });
const verifiedJson = (body: object) => verified(JSON.stringify(body), 'application/json');
const verifiedFile = (bytes: Buffer) => {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="receipt.pdf"\r\n\r\n';
  return verified(
    Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]),
    'multipart/form-data; boundary=b',
  );
};
const refusal = ({ status, body }: HttpResponse) => [status, body.code];

/** Like a third party who has only the keys. */
async function verifiesAlone(proof: string, receipt: object): Promise<boolean> {
  const [header = '', payload = '', signature = ''] = proof.split('.');
  const jwk = (await keys()).find(({ kid }) => kid === partOf(proof, 0)['kid']);
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const digest = createHash('sha256').update(canonicalJson(receipt)).digest('base64url');
  return isSigned && digest === partOf(proof, 1)['sha256'];
}

describe('GET /.well-known/jwks.json', () => {
  it('lists public keys only, cacheable for a limited time', async () => {
    const answer = await anybody.get('/.well-known/jwks.json');
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'public, max-age=300']);
    for (const key of answer.body.keys as object[]) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      expect(key).toMatchObject({ alg: 'ES256', crv: 'P-256', kty: 'EC', use: 'sig' });
    }
  });

  it('lists the new key first after a rotation and keeps the earlier keys', async () => {
    const { id } = await posted();
    const proof = await proofOf(id);
    const before = await keys();
    const rotated = await (
      await operator()
    ).call('/operator/services/delivery/_rotate_keys', { method: 'POST' });
    expect(rotated.status).toBe(200);
    expect((await keys()).map(({ kid }) => kid)).toEqual([rotated.body.kid, ...before.map(({ kid }) => kid)]);
    expect(await proofOf(id)).toBe(proof);
    expect((await verified(proof)).body).toMatchObject({ valid: true, current: true });
    expect(partOf(await proofOf((await posted()).id), 0)['kid']).toBe(rotated.body.kid);
    expect(
      refusal(await retailer.api.call('/operator/services/delivery/_rotate_keys', { method: 'POST' }))[0],
    ).toBe(403);
  });
});

describe('GET /receipts/{id}/proof', () => {
  it('contains the receipt’s figures, signed with the current key', async () => {
    const taxes = [{ name: 'vat', rate: 20, amount: 1.67, code: 'A' }];
    const { id } = await posted({ total: 10, taxes, identifier: 'jane@example.com' });
    const receipt = (await retailer.api.get(`/receipts/${id}`)).body;
    const proof = await proofOf(id);
    expect(partOf(proof, 0)).toEqual({ alg: 'ES256', kid: (await keys())[0]?.kid, typ: 'receipt+jwt' });
    const { iss, iat, sha256, ...payload } = partOf(proof, 1);
    expect(payload).toEqual({
      sub: id,
      retailer: receipt.retailer,
      transaction_id: receipt.transaction_id,
      timestamp: receipt.timestamp,
      localtime: receipt.localtime,
      currency: receipt.l10n.currency,
      total: 10,
      taxes: [{ name: 'vat', rate: 20, amount: 1.67 }],
      items_count: receipt.items.length,
      store: { name: receipt.store.name, city: receipt.store.city, country: receipt.store.country },
    });
    expect(iss).toBe(anybody.baseUrl);
    expect(Math.abs(Number(iat) - Date.now() / 1000)).toBeLessThan(60);
    expect(sha256).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await verifiesAlone(proof, receipt)).toBe(true);
  });

  it('contains the digest of any JSON, including special keys, escapes and numbers', async () => {
    const properties = {
      é: '\u2028"\\',
      '': 1e21,
      a: [0.1, -0, 1e-7, 12345678901234567000],
      '\ud83d\ude00': {},
      z: null,
    };
    const { id } = await posted({ properties });
    const receipt = (await retailer.api.get(`/receipts/${id}`)).body;
    expect(await verifiesAlone(await proofOf(id), receipt)).toBe(true);
  });

  it('is the same until the receipt changes', async () => {
    const { id } = await posted();
    const [first, ...others] = await Promise.all(Array.from({ length: 6 }, () => proofOf(id)));
    expect(new Set(others)).toEqual(new Set([first]));
    await retailer.api.patch(`/receipts/${id}`, [{ op: 'add', path: '/properties/note', value: 'x' }]);
    const changed = await proofOf(id);
    expect(changed).not.toBe(first);
    expect((await verified(first ?? '')).body).toMatchObject({
      valid: true,
      current: false,
      reason: 'changed',
    });
    expect((await verified(changed)).body).toMatchObject({ valid: true, current: true });
  });

  it('changes when the sale of a return arrives, and when its consumer is erased', async () => {
    const [sale, identifier] = [uniqueId(), `${uniqueId()}@example.com`];
    const { id } = await posted({ identifier, related: [{ type: 'return', transaction_id: sale }] });
    const alone = await proofOf(id);
    await posted({ transaction_id: sale });
    const complete = await proofOf(id);
    await until(
      'the consumer',
      async () => (await retailer.api.get(`/identifiers/${identifier}`)).status === 200,
    );
    await retailer.api.post(`/identifiers/${identifier}/_erase`, undefined);
    const read = async () => (await retailer.api.get(`/receipts/${id}`)).body;
    await until('the erasure', async () => (await read()).identifier === null);
    const erased = await proofOf(id);
    expect(new Set([alone, complete, erased]).size).toBe(3);
    for (const proof of [alone, complete])
      expect((await verified(proof)).body).toMatchObject({ valid: true, current: false, reason: 'changed' });
    expect((await verified(erased)).body).toMatchObject({ valid: true, current: true });
    expect(await verifiesAlone(erased, await read())).toBe(true);
  });

  it('exists for receipts that the caller may read', async () => {
    const { id } = await posted({ identifier: 'jane@example.com' });
    const other = await aRetailer();
    expect(refusal(await other.api.get(`/receipts/${id}/proof`))).toEqual([404, 'receipt_not_found']);
    const poster = await retailer.clientWith({ permissions: ['view.post_receipt'] });
    expect(refusal(await poster.get(`/receipts/${id}/proof`))).toEqual([403, 'permission_denied']);
    const jane = retailer.signed({ consumer: 'jane@example.com' });
    expect((await jane.get(`/receipts/${id}/proof`)).status).toBe(200);
    const joe = retailer.signed({ consumer: 'joe@example.com' });
    expect(refusal(await joe.get(`/receipts/${id}/proof`))).toEqual([404, 'receipt_not_found']);
    await retailer.api.call(`/receipts/${id}`, { method: 'DELETE' });
    expect(refusal(await retailer.api.get(`/receipts/${id}/proof`))).toEqual([410, 'receipt_deleted']);
  });

  it('is linked from the page, and attached to the PDF', async () => {
    const { id, page } = await posted();
    const proof = await proofOf(id);
    const html = (await anybody.get(page, undefined, { accept: 'text/html' })).bytes.toString();
    expect(html).toContain(`href="${anybody.baseUrl}${page}/proof"`);
    const linked = await anybody.get(`${page}/proof`);
    expect([linked.headers['content-type'], linked.bytes.toString()]).toEqual(['application/jose', proof]);
    const pdf = (await anybody.get(`${page}/pdf`)).bytes;
    expect(pdf.toString('latin1')).toContain('receipt.jws');
    const uploaded = await verifiedFile(pdf);
    expect(uploaded.body).toEqual({ valid: true, current: true, payload: partOf(proof, 1) });
    const [begin, end] = [pdf.indexOf('/EmbeddedFile'), pdf.length];
    const broken = Buffer.from(pdf).fill('x', pdf.indexOf('stream', begin) + 7, end);
    expect((await verifiedFile(broken)).body).toMatchObject({ valid: false, reason: 'malformed' });
  });
});

describe('POST /verify', () => {
  it('verifies a proof with its receipt in every format', async () => {
    const { id } = await posted();
    const [proof, receipt] = [await proofOf(id), (await retailer.api.get(`/receipts/${id}`)).body];
    const good = { valid: true, current: true, payload: partOf(proof, 1) };
    expect((await verified(proof)).body).toEqual(good);
    expect((await verifiedJson({ proof })).body).toEqual(good);
    expect((await verifiedJson({ proof, receipt })).body).toEqual(good);
    expect((await verifiedJson({ proof, receipt: { ...receipt, checks: [] } })).body).toEqual(good);
    const [wrapped, text] = [proof.replace(/.{76}/g, '$&\r\n'), JSON.stringify(receipt)];
    for (const fields of [
      { proof, receipt: text },
      { proof: wrapped },
      { proof: '', receipt: JSON.stringify({ proof: wrapped, receipt }) },
    ]) {
      const form = new URLSearchParams(fields).toString();
      expect((await verified(form, 'application/x-www-form-urlencoded')).body).toEqual(good);
    }
    for (const file of [proof, JSON.stringify({ proof, receipt })]) {
      const parts = ['proof', 'receipt'].map(
        (name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n\r\n`,
      );
      const upload = `--b\r\nContent-Disposition: form-data; name="file"; filename="receipt.jws"\r\nContent-Type: application/octet-stream\r\n\r\n${file}\r\n--b--\r\n`;
      const answer = await verified(parts.join('') + upload, 'multipart/form-data; boundary=b');
      expect(answer.body).toEqual(good);
    }
  });

  it('verifies the largest receipt', async () => {
    const items = Array.from({ length: 5_000 }, (_, i) => ({
      name: `${'x'.repeat(300)}${i}`,
      quantity: 1,
      total: 1,
    }));
    let deep: object = {};
    for (let level = 2; level < 32; level++) deep = { deep };
    const { id } = await posted({ items, total: 5_000, properties: deep });
    const [proof, receipt] = [
      await proofOf(id),
      (await retailer.api.get(`/receipts/${id}`)).bytes.toString(),
    ];
    const parts = { proof, file: receipt };
    const upload = Object.entries(parts).map(
      ([name, text]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
    );
    const good = { valid: true, current: true };
    for (const answer of [
      await verified(`{"proof":"${proof}","receipt":${receipt}}`, 'application/json'),
      await verified(`${upload.join('')}--b--\r\n`, 'multipart/form-data; boundary=b'),
    ])
      expect(answer.body).toMatchObject(good);
  });

  it('rejects forgeries', async () => {
    const { id } = await posted();
    const [proof, receipt] = [await proofOf(id), (await retailer.api.get(`/receipts/${id}`)).body];
    const [header = '', payload = '', signature = ''] = proof.split('.');
    const { kid } = partOf(proof, 0);
    const raised = encoded({ ...partOf(proof, 1), total: 1_000 });
    const cases: readonly (readonly [string, string])[] = [
      [`${header}.${raised}.${signature}`, 'invalid_signature'],
      [`${encoded({ alg: 'none', kid, typ: 'receipt+jwt' })}.${payload}.`, 'malformed'],
      [`${encoded({ alg: 'none', kid, typ: 'receipt+jwt' })}.${payload}.${signature}`, 'malformed'],
      [`${encoded({ alg: 'HS256', kid, typ: 'receipt+jwt' })}.${payload}.${signature}`, 'malformed'],
      [`${encoded({ alg: 'ES256', kid: 'x', typ: 'receipt+jwt' })}.${payload}.${signature}`, 'unknown_key'],
      [`${header}.${payload}.AAAA`, 'invalid_signature'],
      [`${header}.${payload}`, 'malformed'],
      ['garbage', 'malformed'],
      ['..', 'malformed'],
    ];
    for (const [forged, reason] of cases) {
      const answer = await verified(forged);
      expect([answer.status, answer.body]).toEqual([200, { valid: false, reason, current: null }]);
    }
    const { body } = await verifiedJson({ proof, receipt: { ...receipt, total: 1 } });
    expect(body).toEqual({ valid: false, reason: 'receipt_mismatch', current: null });
  });

  it('does not trust a receipt that it cannot read', async () => {
    const { id } = await posted();
    const proof = await proofOf(id);
    const mismatch = { valid: false, reason: 'receipt_mismatch', current: null };
    const deep = `{"a":${'['.repeat(40)}${']'.repeat(40)}}`;
    for (const receipt of ['hello', '{"total":', '[{"total": 1}]', 'null', deep]) {
      const fields = new URLSearchParams({ proof, receipt }).toString();
      const answer = await verified(fields, 'application/x-www-form-urlencoded');
      expect([answer.status, answer.body]).toEqual([200, mismatch]);
      const pair = new URLSearchParams({ proof: JSON.stringify({ proof, receipt }) }).toString();
      expect((await verified(pair, 'application/x-www-form-urlencoded')).body).toEqual(mismatch);
    }
    const broken = await verified('proof=%7B%22proof', 'application/x-www-form-urlencoded');
    expect(broken.body).toEqual({ valid: false, reason: 'malformed', current: null });
  });

  it('rejects a form that is not multipart', async () => {
    const { status, body } = await verified('no boundary', 'multipart/form-data; boundary=b');
    const code = 'malformed_body';
    expect([status, body]).toMatchObject([400, { code, description: 'the body is not a valid form' }]);
  });

  it('responds with JSON to programs that prefer it', async () => {
    const answer = await verified('x', 'application/jose', { accept: 'application/json, text/plain, */*' });
    expect(answer.body).toEqual({ valid: false, reason: 'malformed', current: null });
  });

  it('reports later changes to the receipt', async () => {
    const [voided, deleted] = [await posted(), await posted()];
    const proofs = [await proofOf(voided.id), await proofOf(deleted.id)];
    expect((await retailer.api.post(`/receipts/${voided.id}/_void`, {})).status).toBe(200);
    await retailer.api.call(`/receipts/${deleted.id}`, { method: 'DELETE' });
    expect((await verified(proofs[0] ?? '')).body).toMatchObject({
      valid: true,
      current: false,
      reason: 'voided',
    });
    expect((await verified(proofs[1] ?? '')).body).toMatchObject({
      valid: true,
      current: false,
      reason: 'deleted',
    });
    const afterwards = await proofOf(voided.id);
    expect((await verified(afterwards)).body).toMatchObject({
      valid: true,
      current: false,
      reason: 'voided',
    });
  });

  it('rejects unreadable proofs', async () => {
    expect(refusal(await verified('{', 'application/json'))).toEqual([400, 'malformed_body']);
    expect(refusal(await verifiedJson({}))).toEqual([422, 'schema_validation_failed']);
    expect(refusal(await verifiedJson({ proof: 1 }))).toEqual([422, 'schema_validation_failed']);
    expect(refusal(await verifiedJson({ proof: 'x', receipt: 'y' }))).toEqual([
      422,
      'schema_validation_failed',
    ]);
    expect(refusal(await verified('x', 'text/csv'))).toEqual([415, 'unsupported_media_type']);
    expect(refusal(await verified('x'.repeat(9 * 1024 * 1024)))).toEqual([413, 'body_too_large']);
    const deep = `{"proof":"x","receipt":${'{"a":'.repeat(40)}1${'}'.repeat(41)}`;
    expect(refusal(await verified(deep, 'application/json'))).toEqual([400, 'malformed_body']);
  });

  it('is limited per address', async () => {
    const { headers } = await verified('x');
    expect(headers['ratelimit-policy']).toBe('"route";q=300;w=60');
    expect(headers['ratelimit']).toMatch(/^"route";r=\d+;t=\d+$/);
    if (process.platform !== 'linux') return;
    // Other tests use the limit of 127.0.0.1.
    const agent = new http.Agent({ keepAlive: true, maxSockets: 10, localAddress: '127.0.0.2' });
    const attempt = () => anybody.call('/verify', { method: 'POST', body: 'x', headers: jose, agent });
    const limited = await until('the limit', async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, attempt));
      return answers.find(({ status }) => status !== 200);
    });
    agent.destroy();
    expect(refusal(limited)).toEqual([429, 'rate_limited']);
    expect(limited.headers['retry-after']).toMatch(/^\d+$/);
    expect((await verified('x')).status).toBe(200);
  });

  it('is a page in plain words without scripts or personal data', async () => {
    const { id } = await posted({ identifier: 'jane@example.com', transaction_id: uniqueId('<b>proof') });
    const proof = await proofOf(id);
    const empty = await anybody.get('/verify', undefined, { accept: 'text/html' });
    expect([empty.status, empty.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const form = empty.bytes.toString();
    for (const name of ['proof', 'receipt', 'file']) expect(form).toContain(`name="${name}"`);
    expect(form).not.toContain('<script');
    const shown = await verified(proof, 'application/jose', { accept: 'text/html' });
    const html = shown.bytes.toString();
    expect(html).toContain('Genuine: the receipt is unchanged.');
    expect(html).toContain('&lt;b&gt;proof');
    expect(html).toContain('March 14, 2026 at 12:30');
    expect(html).toContain('€');
    expect(html).toContain((partOf(proof, 1)['retailer'] as { name: string }).name);
    expect(html).not.toContain('jane@example.com');
    const nothing = await verified('proof=&receipt=', 'application/x-www-form-urlencoded', {
      accept: 'text/html',
    });
    expect(nothing.bytes.toString()).toBe(form);
    const withoutProof = await verified('proof=%7B%22total%22:1%7D', 'application/x-www-form-urlencoded', {
      accept: 'text/html',
    });
    expect(withoutProof.bytes.toString()).toContain('This proof is not genuine.');
    const german = await verified('garbage', 'application/jose', {
      accept: 'text/html',
      'accept-language': 'de',
    });
    expect([german.status, german.headers['content-language']]).toEqual([200, 'de']);
    expect(german.bytes.toString()).toContain('Dieser Nachweis ist nicht echt.');
  });
});

describe('deploy/examples/proofs/verify-proof.mjs', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'receipts-proofs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const script = path.resolve(__dirname, '../deploy/examples/proofs/verify-proof.mjs');
  const run = (...contents: readonly string[]) => {
    const files = contents.map((_content, i) => path.join(folder, `${i}`));
    files.forEach((file, i) => writeFileSync(file, contents[i] ?? ''));
    return promisify(execFile)(process.execPath, [script, ...files]);
  };

  it('verifies a proof and its receipt offline, and rejects others', async () => {
    const { id } = await posted({ properties: { é: [1e21, 0.1], '\ud83d\ude00': 'a', '\uffff': 'b' } });
    const proof = await proofOf(id);
    const receipt = (await retailer.api.get(`/receipts/${id}`)).bytes.toString();
    const keySet = (await anybody.get('/.well-known/jwks.json')).bytes.toString();
    expect(JSON.parse((await run(keySet, proof, receipt)).stdout)).toEqual(partOf(proof, 1));
    const changed = JSON.stringify({ ...(JSON.parse(receipt) as object), total: 1 });
    await expect(run(keySet, proof, changed)).rejects.toThrow('does not match');
    const other = await proofOf((await posted()).id);
    const forged = [proof.split('.')[0], proof.split('.')[1], other.split('.')[2]].join('.');
    await expect(run(keySet, forged, receipt)).rejects.toThrow('signature verification failed');
  });
});
