import { newId, type Call } from '@receipts/kernel';
import { printHeader } from './print-header';

const principal = { kind: 'client', id: 'bearer:"1"' } as const;

function call(overrides: Partial<Call> = {}): Call {
  return {
    id: newId(),
    requestId: 'r\n"1"',
    retailer: 'dé"mo',
    principal,
    deadline: 17,
    at: 3,
    ...overrides,
  };
}

test.each([
  [
    'everything',
    { params: { id: 'a"b' }, query: { free: [['x', '\u2028']] }, contentType: 'text/plain' },
    {},
  ],
  ['nothing', {}, {}],
  ['absent members', { params: undefined, query: undefined }, { idempotencyKey: 'k"' }],
  [
    'lists',
    {},
    { consumers: ['a@b.c', '"'], permissions: ['view.*'], settings: { consumer_required: true } },
  ],
])('a header reads as JSON.stringify prints it: %s', (_name, args, more) => {
  const header = { id: 7, type: 'thing.do', args, call: call(more), n: 12 };
  const expected: unknown = JSON.parse(JSON.stringify(header));
  expect(JSON.parse(printHeader(header))).toEqual(expected);
  // What was printed before is not printed anew, and reads the same.
  expect(JSON.parse(printHeader(header))).toEqual(expected);
});
