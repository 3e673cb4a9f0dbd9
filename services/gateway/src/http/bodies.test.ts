import { idAllotter } from '@receipts/kernel';
import { clientOf, goodThing as good, refusal } from '../testing/client';
import { authorization, startHarness, type Harness } from '../testing/harness';

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness();
});
afterAll(() => gateway.close());

const { post, answerWith } = clientOf(() => gateway);

describe('bodies', () => {
  beforeEach(() => answerWith('{"id":"1"}', { id: '1', version: 3 }));

  it.each([
    ['not JSON', '{"name":', 400, 'malformed_body'],
    ['empty', '', 400, 'malformed_body'],
    ['two values', `${good}${good}`, 400, 'malformed_body'],
    ['NaN', '{"name":"x","total":NaN}', 400, 'malformed_body'],
    [
      '33 levels',
      `{"name":"x","total":1,"properties":{"a":${'['.repeat(31)}${']'.repeat(31)}}}`,
      400,
      'malformed_body',
    ],
    ['400,000 levels', '['.repeat(400_000), 400, 'malformed_body'],
    ['20,001 values', `{"list":[${'1,'.repeat(20_000)}1]}`, 422, 'too_many'],
    ['20,001 empty lists', `[${'[],'.repeat(20_000)}[]]`, 422, 'too_many'],
    [
      '20,001 lists around few values',
      `[${'[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]],'.repeat(1_000)}[]]`,
      422,
      'too_many',
    ],
    ['20,000 values where 20,000 are allowed', `[${'1,'.repeat(19_999)}1]`, 422, 'schema_validation_failed'],
    ['an array', '[]', 422, 'schema_validation_failed'],
    ['null', 'null', 422, 'schema_validation_failed'],
    ['a malformed number', '{"name":"x","total":1e400}', 422, 'schema_validation_failed'],
    [
      'an infinite number in a free-form member',
      '{"name":"x","total":1,"properties":{"a":1e999}}',
      422,
      'schema_validation_failed',
    ],
    ['__proto__', '{"name":"x","total":1,"__proto__":{"a":1}}', 422, 'schema_validation_failed'],
    ['constructor', '{"name":"x","total":1,"constructor":{"prototype":{}}}', 422, 'schema_validation_failed'],
  ])('%s: %#', async (_name, body, status, code) => {
    expect(await refusal(await post('/things', body))).toMatchObject({ http: status, code });
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it('report all their faults', async () => {
    const { errors } = await refusal(
      await post('/things', '{"total":"1","parts":[{"name":"a"},{"nam":"b"}],"x":1}'),
    );
    expect(errors?.map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
      '/name required',
      '/parts/1/nam unknown_field',
      '/parts/1/name required',
      '/total invalid_type',
      '/x unknown_field',
    ]);
  });

  it('that are not UTF-8 cause 400', async () => {
    const body = Buffer.from('{"name":"\xff","total":1}', 'latin1');
    expect(await refusal(await post('/things', body))).toMatchObject({ http: 400, code: 'malformed_body' });
  });

  it('may begin with a byte order mark', async () => {
    expect((await post('/things', `\uFEFF${good}`)).status).toBe(201);
    expect(gateway.broker.last.request.body.toString()).toBe(good);
  });

  it.each([
    'text/plain',
    'application/json; charset=iso-8859-1',
    'application/jsonx',
    'application/vnd.x+json',
    'application/json-patch+json',
    'json',
    ',',
  ])('of type "%s" cause 415', async (type) => {
    const response = await post('/things', good, { 'content-type': type });
    expect(await refusal(response)).toMatchObject({
      http: 415,
      status: 'unsupported media type',
      code: 'unsupported_media_type',
    });
  });

  it.each(['application/json; charset=UTF-8', 'Application/JSON', 'application/json;charset="utf-8"'])(
    'of type "%s" are accepted',
    async (type) => {
      expect((await post('/things', good, { 'content-type': type })).status).toBe(201);
    },
  );

  it('that are compressed cause 415', async () => {
    expect(await refusal(await post('/things', good, { 'content-encoding': 'gzip' }))).toMatchObject({
      http: 415,
    });
    expect(await refusal(await post('/blobs', good, { 'content-encoding': 'gzip' }))).toMatchObject({
      http: 415,
    });
  });

  it('are checked against the schema of their media type; a rejected patch lists the accepted types', async () => {
    const patch = (type: string, body: string) =>
      fetch(`${gateway.url}/things/1`, {
        method: 'PATCH',
        headers: { ...authorization(), 'content-type': type },
        body,
      });
    const response = await patch('application/json-patch+json', '[]');
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"3"']);
    expect(gateway.broker.last.request.contentType).toBe('application/json-patch+json');
    expect(gateway.broker.last.call.permissions).toEqual(['view.*']);
    expect((await patch('application/json', '{"name":"x"}')).status).toBe(200);
    expect((await patch('application/json', '[]')).status).toBe(422);
    const refused = await patch('text/plain', '[]');
    expect([refused.status, refused.headers.get('accept-patch')]).toEqual([
      415,
      'application/json-patch+json, application/json',
    ]);
  });

  it('of any type are passed on unchanged', async () => {
    const body = Buffer.from([0, 255, 1, 254]);
    const response = await post('/blobs', body, { 'content-type': 'Text/Weird; x=y' });
    expect(response.status).toBe(202);
    const { kind, request, call } = gateway.broker.last;
    expect([kind, request.contentType, request.body.equals(body)]).toEqual(['sent', 'Text/Weird; x=y', true]);
    expect(response.headers.get('location')).toBe(`/things/${call.id}`);
    expect(idAllotter('a secret for tests').isAllotted(call.id, 'demo')).toBe(true);
    expect(await response.text()).toBe('');
  });

  it('with an idempotency key wait for the owner’s reply', async () => {
    await post('/blobs', 'x', { 'idempotency-key': 'k' });
    expect(gateway.broker.last).toMatchObject({ kind: 'asked', call: { idempotencyKey: 'k' } });
  });

  it.each(['', 'k'.repeat(256)])('with the idempotency key "%s" cause 400', async (key) => {
    const response = await post('/things', good, { 'idempotency-key': key });
    expect((await refusal(response)).errors?.[0]?.path).toBe('/idempotency-key');
  });

  it('are optional if they have no required members', async () => {
    gateway.broker.answer = () => ({ body: Buffer.alloc(0) });
    const response = await fetch(`${gateway.url}/things/1/_poke`, {
      method: 'POST',
      headers: authorization(),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([204, null]);
  });
});
