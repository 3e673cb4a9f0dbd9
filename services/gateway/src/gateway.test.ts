import { ServiceError } from '@receipts/kernel';
import { authorization, startHarness, type ErrorBody, type Harness } from './testing/harness';

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness();
});
afterAll(() => gateway.close());

const json = { 'content-type': 'application/json' };

function post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { ...authorization(), ...json, ...headers },
    body,
  });
}

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, { headers: { ...authorization(), ...headers } });
}

describe('a command that its owner answers', () => {
  it('reaches the owner with the bytes that were sent, and the reply becomes the answer', async () => {
    const body = '{ "name": "x",  "total": 1.0 }';
    const response = await post('/things', body, { 'idempotency-key': 'k1', 'request-id': 'my-1' });
    expect(response.status).toBe(201);
    expect(await response.text()).toBe('{"id":"1"}');
    expect(response.headers.get('location')).toBe('/things/1');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('request-id')).toBe('my-1');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('traceparent')).toMatch(/^00-/);
    const { kind, name, request, call } = gateway.broker.last;
    expect([kind, name, request.body.toString(), request.contentType]).toEqual([
      'asked',
      'things.create-thing',
      body,
      'application/json',
    ]);
    expect(call).toMatchObject({
      requestId: 'my-1',
      retailer: 'demo',
      principal: { kind: 'client', id: 'bearer:1' },
      idempotencyKey: 'k1',
    });
    expect(call.deadline - call.at).toBe(4_000);
    expect(call.permissions).toBeUndefined();
  });

  it('says when the answer is a remembered one', async () => {
    gateway.broker.answer = () => ({ meta: { id: '1' }, replayed: true, body: Buffer.from('{"id":"1"}') });
    const response = await post('/things', '{"name":"x","total":1}', { 'idempotency-key': 'k1' });
    expect(response.headers.get('idempotent-replayed')).toBe('true');
  });

  it('hands on a refusal of the owner in the error body of the interface', async () => {
    gateway.broker.answer = () => {
      throw new ServiceError(
        { status: 409, code: 'duplicate', description: 'it exists' },
        { extra: { id: '7' }, internal: 'hidden' },
      );
    };
    const response = await post('/things', '{"name":"x","total":1}');
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({
      description: 'it exists',
      status: 'conflict',
      code: 'duplicate',
      id: '7',
      request_id: response.headers.get('request-id'),
    });
  });

  it('answers an accident with a bare 500', async () => {
    gateway.broker.answer = () => {
      throw new Error('host db-1 is down');
    };
    const response = await post('/things', '{"name":"x","total":1}');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('db-1');
  });
});
