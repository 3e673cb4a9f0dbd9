import { ServiceError } from '@receipts/kernel';
import { acceptPacket } from './accept-packet';
import { readPacketFacts } from './packet-facts';

const external = '0A4C5B1E-7d5c-4a8e-9b1d-2f3a4b5c6d7e';

function refusal(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

test('ignores case and treats - as _ in names, prefers headers, and uses the first of repeated names', () => {
  const facts = readPacketFacts(
    [
      ['Property-E-Mail', 'q1'],
      ['property-e_mail', 'q2'],
      ['PROPERTY_only-query', 'q3'],
      ['TILL-ID', '1'],
      ['till_id', '2'],
      ['source_id', 'query'],
    ],
    [
      ['Service-Property-E_MAIL', 'h1'],
      ['service-property-e-mail', 'h2'],
      ['service_source_id', 'header'],
      ['service-api-version', '2'],
    ],
  );
  expect(facts.properties).toEqual({ e_mail: 'h1', only_query: 'q3' });
  expect(facts.metadata).toEqual({ till_id: '1', source_id: 'header' });
});

test('reads UTF-8 in headers and keeps other bytes', () => {
  const utf8 = Buffer.from('café €').toString('latin1');
  const { properties } = readPacketFacts(
    [],
    [
      ['service-property-a', utf8],
      ['service-property-b', 'caf\xe9'],
    ],
  );
  expect(properties).toEqual({ a: 'café €', b: 'caf\xe9' });
});

test('accepts a property called __proto__', () => {
  const { properties } = readPacketFacts([['property-__proto__', 'x']], []);
  expect(Object.entries(properties)).toEqual([['__proto__', 'x']]);
});

test('stores the external id in lower case, and ignores an invalid id in the query if the header has an id', () => {
  const { metadata } = readPacketFacts([['external_id', 'bad']], [['service-external-id', external]]);
  expect(metadata.external_id).toBe(external.toLowerCase());
});

test('rejects an identifier that is the name of a route, under the name as sent', () => {
  expect(refusal(() => readPacketFacts([], [['service-identifier', ' _search']]))).toMatchObject({
    status: 422,
    code: 'schema_validation_failed',
    errors: [{ path: '/service-identifier', code: 'invalid_format' }],
  });
});

test('reports every fault in the metadata', () => {
  const error = refusal(() =>
    readPacketFacts(
      [
        ['external_id', '0a4c5b1e-7d5c-1a8e-9b1d-2f3a4b5c6d7e'],
        ['duplicate', 'yes'],
      ],
      [['service-till-id', ' ']],
    ),
  );
  expect(error).toMatchObject({
    status: 400,
    code: 'invalid_parameter',
    description: 'duplicate must be true or false',
  });
  expect(error.errors?.map(({ path }) => path)).toEqual(['/duplicate', '/external_id', '/service-till-id']);
});

test('rejects an unknown query parameter, but not an unknown header with the prefix', () => {
  expect(refusal(() => readPacketFacts([['duplicates', 'true']], []))).toMatchObject({
    status: 400,
    errors: [{ path: '/duplicates', code: 'unknown_parameter' }],
  });
  expect(
    refusal(() =>
      readPacketFacts(
        [
          ['a/b', '1'],
          ['TILL_ID', ''],
        ],
        [['service-mapping', 'x'.repeat(256)]],
      ),
    ).errors,
  ).toMatchObject([
    { path: '/a~1b', message: 'is not a known parameter' },
    { path: '/TILL_ID', message: 'must be at least 1 character' },
    { path: '/service-mapping', message: 'must be at most 255 characters' },
  ]);
  expect(readPacketFacts([], [['service-anything', 'x']])).toMatchObject({ metadata: {} });
});

test('accepts attachments as repeated headers, several in one header, and with quoted labels', () => {
  const { attachments } = readPacketFacts(
    [],
    [
      ['service-attachment-id', 'a1; label=terms, a2 ;LABEL="logo.png"'],
      ['Service-Attachment-Id', 'a3;label=x'],
    ],
  );
  expect(attachments).toEqual([
    { id: 'a1', label: 'terms' },
    { id: 'a2', label: 'logo.png' },
    { id: 'a3', label: 'x' },
  ]);
});

test.each([
  'a1',
  'a1; label=',
  'a1; label=a b',
  'a1; label=__proto__',
  '; label=x',
  'a1; label=x, a2; label=x',
  `a1; label=${'x'.repeat(65)}`,
])('rejects the attachment header %s', (value) => {
  expect(refusal(() => readPacketFacts([], [['service-attachment-id', value]]))).toMatchObject({
    status: 400,
    code: 'invalid_parameter',
    errors: [{ path: '/service-attachment-id' }],
  });
});

test('reports the first property beyond the maximum', () => {
  const sent = Array.from({ length: 101 }, (_, n): [string, string] => [`property-p${n}`, 'x']);
  expect(refusal(() => readPacketFacts(sent, []))).toMatchObject({
    status: 400,
    errors: [{ path: '/property-p100', code: 'too_big' }],
  });
  expect(Object.keys(readPacketFacts(sent.slice(1), []).properties)).toHaveLength(100);
});

describe('the response to an accepted packet', () => {
  const input = (query: [string, string][] = [], headers: [string, string][] = [], body = 'x') =>
    ({ query: { free: query }, headers: { free: headers }, body: Buffer.from(body) }) as never;

  test('waits only for the broker’s confirm, unless it depends on stored data', () => {
    expect(acceptPacket.oneWay?.(input())).toBe(true);
    expect(acceptPacket.oneWay?.(input([['duplicate', 'true']]))).toBe(true);
    expect(acceptPacket.oneWay?.(input([['external_id', external]]))).toBe(false);
    expect(acceptPacket.oneWay?.(input([], [['service-attachment-id', 'a; label=b']]))).toBe(false);
  });

  test('rejects an empty body', () => {
    expect(refusal(() => acceptPacket.verify?.(input([], [], ''))).status).toBe(422);
    expect(() => acceptPacket.verify?.(input())).not.toThrow();
  });
});
