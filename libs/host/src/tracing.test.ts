import { traceOf } from './tracing';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('trace ids', () => {
  test('continue the trace of the caller with a span of their own', () => {
    const { traceId, traceparent } = traceOf(parent);
    expect(traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(traceparent).not.toBe(parent);
    expect(traceOf(parent.replace(/01$/, '00')).traceparent).toMatch(/-00$/);
    expect(traceOf(`01${parent.slice(2)}-more`).traceId).toBe(traceId);
  });

  test.each([
    undefined,
    '',
    'nonsense',
    `ff${parent.slice(2)}`,
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    parent.toUpperCase(),
    `${parent}-more`,
    `cc${parent.slice(2)}further`,
    parent.slice(0, -1),
    parent.replace('b7', 'xy'),
  ])('begin anew where the header is %p', (header) => {
    const { traceId, traceparent } = traceOf(header);
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(traceparent).toContain(traceId);
    expect(traceId).not.toBe('0af7651916cd43dd8448eb211c80319c');
  });

  test('are never the same twice', () => {
    const ids = Array.from({ length: 5_000 }, () => traceOf(undefined).traceparent);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
