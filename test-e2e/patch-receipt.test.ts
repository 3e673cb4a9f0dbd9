import type { TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer();
});

const posted = async (overrides: Record<string, unknown> = {}): Promise<string> =>
  (await retailer.api.post('/receipts', aReceipt(overrides))).body.id as string;
const patch = (id: string, operations: unknown, headers?: Record<string, string>) =>
  retailer.api.patch(`/receipts/${id}`, operations, headers);
const get = (id: string) => retailer.api.get(`/receipts/${id}`);

describe('changeable members', () => {
  it('are added at /identifier with 200 and the full updated receipt', async () => {
    const id = await posted();
    const answer = await patch(id, [{ op: 'add', path: '/identifier', value: 'joe@example.com' }]);
    expect([answer.status, answer.body.identifier]).toEqual([200, 'joe@example.com']);
    expect(answer.body).toEqual((await get(id)).body);
  });

  it('are replaced at /properties/email_settings/send', async () => {
    const id = await posted({ properties: { email_settings: { send: true } } });
    const answer = await patch(id, [
      { op: 'replace', path: '/properties/email_settings/send', value: false },
    ]);
    expect(answer.body.properties.email_settings.send).toBe(false);
  });

  it('include everything below /properties, items/{n}/return and /incomplete', async () => {
    const id = await posted({ incomplete: true });
    const answer = await patch(id, [
      { op: 'add', path: '/properties/note', value: { deep: [1, null] } },
      { op: 'add', path: '/properties/note/deep/-', value: 2 },
      {
        op: 'add',
        path: '/items/0/return',
        value: { localtime: '2026-04-01T10:00:00+02:00', reason: 'torn' },
      },
      { op: 'replace', path: '/items/0/return/reason', value: 'worn' },
      { op: 'replace', path: '/incomplete', value: false },
      { op: 'copy', from: '/transaction_id', path: '/properties/copy' },
      { op: 'test', path: '/total', value: 25.48 },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body.properties).toMatchObject({
      note: { deep: [1, null, 2] },
      copy: answer.body.transaction_id,
    });
    expect(answer.body.items[0].return).toMatchObject({
      localtime: '2026-04-01T10:00:00+02:00',
      reason: 'worn',
    });
    expect(answer.body.incomplete).toBe(false);
    expect((await patch(id, [{ op: 'remove', path: '/items/0/return' }])).body.items[0].return).toBeNull();
  });

  it('include the identifier, whose removal sets null and needs a separate permission', async () => {
    const id = await posted({ identifier: 'joe@example.com' });
    const clerk = await retailer.clientWith({ permissions: ['view.get_receipt', 'view.patch_receipt'] });
    const refused = await clerk.patch(`/receipts/${id}`, [{ op: 'remove', path: '/identifier' }]);
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied']);
    const answer = await patch(id, [{ op: 'remove', path: '/identifier' }]);
    expect([answer.status, answer.body.identifier]).toEqual([200, null]);
  });
});

describe('unchangeable members', () => {
  it.each([
    ['/id', 'x'],
    ['/transaction_id', 'x'],
    ['/timestamp', '2026-01-01T00:00:00+00:00'],
    ['/localtime', '2026-01-01T00:00:00+00:00'],
    ['/total', 1],
    ['/retailer', {}],
    ['/retailer/name', 'x'],
    ['/store/name', 'x'],
    ['/items', []],
    ['/items/0', {}],
    ['/items/0/name', 'x'],
    ['/payments/0/amount', 1],
    ['', {}],
  ])('return 422 field_not_modifiable: %s', async (path, value) => {
    const id = await posted();
    const before = await get(id);
    const answer = await patch(id, [{ op: 'replace', path, value }]);
    expect([answer.status, answer.body.code]).toEqual([422, 'field_not_modifiable']);
    expect((await get(id)).body).toEqual(before.body);
  });

  it('cannot be moved', async () => {
    const answer = await patch(await posted(), [{ op: 'move', from: '/total', path: '/properties/total' }]);
    expect([answer.status, answer.body.code]).toEqual([422, 'field_not_modifiable']);
  });

  it.each(['/properties/__proto__/polluted', '/properties/constructor/prototype/polluted'])(
    '%s does not pollute prototypes',
    async (path) => {
      const answer = await patch(await posted(), [{ op: 'add', path, value: 'yes' }]);
      expect(answer.status).toBe(422);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );
});

describe('documents', () => {
  it('accepts [] as a no-op', async () => {
    const id = await posted();
    const before = await get(id);
    const answer = await patch(id, []);
    expect([answer.status, answer.headers.etag]).toEqual([200, before.headers.etag]);
  });

  it.each<[string, unknown]>([
    ['not an array', { op: 'add', path: '/identifier', value: 'x' }],
    ['an unknown operation', [{ op: 'spam', path: '/identifier', value: 'x' }]],
    ['a missing op', [{ path: '/identifier', value: 'x' }]],
    ['a missing path', [{ op: 'add', value: 'x' }]],
    ['a path that is not a pointer', [{ op: 'add', path: 'identifier', value: 'x' }]],
    ['a path that is a number', [{ op: 'add', path: 1, value: 'x' }]],
    ['a missing value', [{ op: 'add', path: '/identifier' }]],
    ['a missing from', [{ op: 'copy', path: '/properties/a' }]],
    ['an invalid escape', [{ op: 'add', path: '/properties/a~2b', value: 1 }]],
    ['101 operations', Array.from({ length: 101 }, () => ({ op: 'test', path: '/total', value: 25.48 }))],
    ['null', null],
    ['a string', 'x'],
  ])('returns 400 malformed_patch for %s', async (_what, operations) => {
    const answer = await patch(await posted(), operations);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_patch']);
  });

  it.each<[string, unknown]>([
    ['a pointer to a missing member', [{ op: 'replace', path: '/properties/nothing', value: 1 }]],
    ['removal of a missing member', [{ op: 'remove', path: '/properties/nothing' }]],
    [
      'an index past the end',
      [{ op: 'add', path: '/items/9/return', value: { localtime: '2026-04-01T10:00:00Z' } }],
    ],
    [
      'an index with a leading zero',
      [{ op: 'add', path: '/items/00/return', value: { localtime: '2026-04-01T10:00:00Z' } }],
    ],
  ])('returns 422 patch_not_applicable for %s', async (_what, operations) => {
    const answer = await patch(await posted(), operations);
    expect([answer.status, answer.body.code]).toEqual([422, 'patch_not_applicable']);
  });

  it('returns 409 for a failed test, and applies no part of the patch', async () => {
    const id = await posted();
    const answer = await patch(id, [
      { op: 'add', path: '/properties/a', value: 1 },
      { op: 'test', path: '/total', value: 1 },
    ]);
    expect([answer.status, answer.body.code]).toEqual([409, 'patch_test_failed']);
    expect((await get(id)).body.properties).toEqual({});
  });

  it('returns 422 and changes nothing if the result would violate the schema', async () => {
    const id = await posted();
    for (const operation of [
      { op: 'add', path: '/identifier', value: 5 },
      { op: 'replace', path: '/incomplete', value: 'no' },
      { op: 'replace', path: '/properties', value: [] },
      { op: 'add', path: '/items/0/return', value: { reason: 'x' } },
      { op: 'add', path: '/items/0/return', value: { localtime: 'yesterday' } },
    ]) {
      const answer = await patch(id, [operation]);
      expect([operation, answer.status, answer.body.code]).toEqual([
        operation,
        422,
        'schema_validation_failed',
      ]);
    }
  });

  it('rejects a copy bomb quickly', async () => {
    const id = await posted({ properties: { a: { text: 'x'.repeat(1000) } } });
    const began = Date.now();
    const bomb = Array.from({ length: 30 }, (_, n) => ({
      op: 'copy',
      from: '/properties',
      path: `/properties/${n}`,
    }));
    const answer = await patch(id, bomb);
    expect(answer.status).toBe(422);
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it.each(['text/plain', 'application/xml', 'application/merge-patch+json'])(
    'returns 415 with Accept-Patch for the type %s',
    async (type) => {
      const answer = await retailer.api.call(`/receipts/${await posted()}`, {
        method: 'PATCH',
        body: '[]',
        headers: { 'content-type': type },
      });
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
      expect(answer.headers['accept-patch']).toBe('application/json-patch+json, application/json');
    },
  );
});

describe('the deprecated body', () => {
  const deprecated = (id: string, body: unknown) =>
    retailer.api.call(`/receipts/${id}`, { method: 'PATCH', body });

  it('changes only the identifier and returns the full receipt', async () => {
    const id = await posted();
    const answer = await deprecated(id, { identifier: 'joe@example.com' });
    expect([answer.status, answer.body.identifier, answer.body.id]).toEqual([200, 'joe@example.com', id]);
  });

  it.each([{}, { identifier: null }, { identifier: 5 }, { identifier: 'x', total: 1 }, []])(
    'returns 422 for %j',
    async (body) => {
      expect((await deprecated(await posted(), body)).status).toBe(422);
    },
  );
});

describe('concurrency', () => {
  it('returns 412 for an If-Match that does not match, and 200 with the next ETag for one that does', async () => {
    const id = await posted();
    const { etag } = (await get(id)).headers as { etag: string };
    const first = await patch(id, [{ op: 'add', path: '/properties/a', value: 1 }], { 'if-match': etag });
    expect(first.status).toBe(200);
    expect(first.headers.etag).not.toBe(etag);
    const second = await patch(id, [{ op: 'add', path: '/properties/b', value: 1 }], { 'if-match': etag });
    expect(second.status).toBe(412);
    expect((await patch(id, [], { 'if-match': '*' })).status).toBe(200);
  });

  it('applies all of a hundred concurrent patches', async () => {
    const id = await posted({ properties: { list: [] } });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => patch(id, [{ op: 'add', path: '/properties/list/-', value: n }])),
    );
    const done = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []));
    for (const { status } of answers) expect([200, 409, 503]).toContain(status);
    expect(done.length).toBeGreaterThan(0);
    const { list } = (await get(id)).body.properties;
    expect([...list].sort((a: number, b: number) => a - b)).toEqual(done);
  });
});

describe('access to the receipt', () => {
  it('returns 404 for unknown receipts and for those of other retailers and consumers', async () => {
    const id = await posted({ identifier: 'ann@example.com' });
    const other = await aRetailer();
    for (const answer of [
      await patch('000000000000000000000000', []),
      await other.api.patch(`/receipts/${id}`, []),
      await retailer.signed({ consumer: 'joe@example.com' }).patch(`/receipts/${id}`, []),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'receipt_not_found']);
    }
  });

  it('requires the permission', async () => {
    const reader = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    expect((await reader.patch(`/receipts/${await posted()}`, [])).status).toBe(403);
  });

  it('lists a patched receipt by its new identifier', async () => {
    const identifier = `${uniqueId('who')}@example.com`;
    const id = await posted();
    await patch(id, [{ op: 'add', path: '/identifier', value: identifier }]);
    const list = await retailer.api.get('/receipts', { consumer: identifier });
    expect(list.body.map((receipt: { id: string }) => receipt.id)).toEqual([id]);
  });
});
