import { z } from 'zod';
import { clientOf, refusal } from '../testing/client';
import { startHarness, type Harness } from '../testing/harness';
import { queryReader } from './parameters';
import { parseQuery } from './query-string';

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness();
});
afterAll(() => gateway.close());

const { get, post, answerWith } = clientOf(() => gateway);

describe('query parameters', () => {
  it('reach the owner checked and converted', async () => {
    answerWith('[]');
    await get('/things?consumer=a,b&count=3&consumer=c&name=x+y%2B%C3%A4');
    expect(gateway.broker.last.request.query).toEqual({ consumer: ['a', 'b', 'c'], count: 3, name: 'x y+ä' });
    await get('/things');
    expect(gateway.broker.last.request.query).toEqual({ count: 20 });
  });

  it.each([
    ['count=0', '/count'],
    ['count=21', '/count'],
    ['count=1e9', '/count'],
    ['count=5;', '/count'],
    ['count=1&count=2', '/count'],
    ['count=', '/count'],
    ['consumer=a,,b', '/consumer'],
    ['consumer=a,b,c,d,e,f', '/consumer'],
    ['count[$ne]=1', '/count[$ne]'],
    ['unknown=1', '/unknown'],
    ['__proto__=1', '/__proto__'],
    ['consumer.0=1', '/consumer.0'],
    ['a/b=1', '/a~1b'],
    ['=1', '/'],
  ])('cause 400 with the name of the parameter: %s', async (query, path) => {
    const body = await refusal(await get(`/things?${query}`));
    expect(body).toMatchObject({ http: 400, status: 'bad request', code: 'invalid_parameter' });
    expect(body.errors?.map((error) => error.path)).toEqual([path]);
  });

  it('that are unknown are ignored by routes of shared links', () => {
    const schema = z.object({ lang: z.string().min(2).optional() });
    const read = queryReader(schema, { ignoresUnknownQuery: true });
    expect(read(parseQuery('fbclid=x&lang=fr&a.b=1'))).toEqual({ lang: 'fr' });
  });

  it('report all faults at once', async () => {
    const body = await refusal(await get('/things?count=0&x=1&consumer=,'));
    expect(body.errors?.map(({ path }) => path).sort()).toEqual(['/consumer', '/count', '/x']);
  });

  it.each(['name=%', 'name=%zz', 'name=%ff', 'name=%c3', 'name=%00', '%ff=1'])(
    'respond with 400 to %s',
    async (query) => {
      expect(await refusal(await get(`/things?${query}`))).toMatchObject({
        http: 400,
        code: 'invalid_parameter',
      });
    },
  );

  it('that are free-form are passed on unchanged', async () => {
    const response = await post('/blobs?property-A=1&Property_a=2&external_id=u', 'x', {
      'service-property-c': '3',
    });
    expect(response.status).toBe(202);
    const { request, kind } = gateway.broker.last;
    expect(request.query).toEqual({
      free: [
        ['property-A', '1'],
        ['Property_a', '2'],
        ['external_id', 'u'],
      ],
    });
    expect(request.headers).toEqual({ free: [['service-property-c', '3']] });
    expect(kind).toBe('asked');
    expect((await post('/blobs?free=1', 'x')).status).toBe(400);
  });
});
