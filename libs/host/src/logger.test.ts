import { notFound, ServiceError } from '@receipts/kernel';
import { createLogger, serializeError, type LoggerOptions } from './logger';

function logTo(options: Partial<LoggerOptions> = {}) {
  let text = '';
  const log = createLogger({
    service: 'ingest',
    level: 'info',
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    write: (lines) => (text += lines),
    ...options,
  });
  const lines = () => {
    log.flush();
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { log, lines };
}

describe('the log', () => {
  test("writes one JSON line per record, with the caller's fields", () => {
    const { log, lines } = logTo();
    log.info('accepted\nsecond line', { request_id: '65a1', status: 202, duration_ms: 1.5 });
    expect(lines()).toEqual([
      {
        time: '2026-01-02T03:04:05.678Z',
        level: 'info',
        service: 'ingest',
        msg: 'accepted\nsecond line',
        request_id: '65a1',
        status: 202,
        duration_ms: 1.5,
      },
    ]);
  });

  test('keeps the order of lines and omits those below the level', () => {
    const { log, lines } = logTo({ level: 'warn' });
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines().map(({ msg }) => msg)).toEqual(['c', 'd']);
  });

  test('writes an error immediately, with earlier lines, and everything else shortly afterwards', async () => {
    let written: (text: string) => void = () => undefined;
    const writes: string[] = [];
    const { log } = logTo({
      write(text) {
        writes.push(text);
        written(text);
      },
    });
    const next = new Promise<string>((resolve) => (written = resolve));
    log.info('a');
    log.info('b');
    expect(writes).toHaveLength(0);
    expect((await next).match(/"msg":"[ab]"/g)).toEqual(['"msg":"a"', '"msg":"b"']);
    log.info('c');
    log.error('d');
    expect(writes).toHaveLength(2);
  });

  test('hides every value whose name marks it as secret, at any depth', () => {
    const { log, lines } = logTo();
    log.info('x', { body: '{"a":1}', nested: { token: 't', list: [{ email: 'a@b.c' }] }, count: 1 });
    expect(lines()[0]).toMatchObject({
      body: '[redacted]',
      nested: { token: '[redacted]', list: [{ email: '[redacted]' }] },
      count: 1,
    });
  });

  test('writes values that JSON cannot represent', () => {
    const { log, lines } = logTo();
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    log.info('loop', { loop });
    log.info('big', { count: 10n });
    expect(lines()).toMatchObject([
      { msg: 'loop', unprintable: true },
      { msg: 'big', count: '10' },
    ]);
  });
});

describe('an error in the log', () => {
  test('contains its internal text, its causes and its stack', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const fields = serializeError(new ServiceError(notFound, { internal: 'no such shard', cause }));
    expect(fields).toMatchObject({
      name: 'ServiceError',
      message: 'not found',
      internal: 'no such shard',
      status: 404,
      cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    });
    expect(fields['stack']).toContain('logger.test.ts');
  });

  test('quotes neither invalid JSON nor a duplicate key', () => {
    const parse = () => {
      try {
        return JSON.parse('{"email": "a@b.c" oops');
      } catch (error) {
        return serializeError(error);
      }
    };
    const duplicate = new Error(
      'E11000 duplicate key error collection: db.c index: i dup key: { email: "a@b.c" }',
    );
    expect(JSON.stringify([parse(), serializeError(duplicate)])).not.toContain('a@b.c');
    expect(serializeError(duplicate)['message']).toContain('index: i');
  });

  test('is written completely when passed as a field', () => {
    const { log, lines } = logTo();
    log.warn('not erased', { error: new TypeError('no answer', { cause: new Error('socket closed') }) });
    expect(lines()[0]).toMatchObject({
      error: { name: 'TypeError', message: 'no answer', cause: { message: 'socket closed' } },
    });
  });

  test('contains the first of several connection failures', () => {
    const failed = new AggregateError([new Error('connect ECONNREFUSED ::1:5672')], '');
    expect(serializeError(failed)).toMatchObject({ cause: { message: 'connect ECONNREFUSED ::1:5672' } });
  });

  test.each([
    [
      "Can't send mail: 550 <jane@example.com> unknown user",
      "Can't send mail: 550 <[redacted]> unknown user",
    ],
    [
      'getaddrinfo ENOTFOUND amqp://user:secret@broker:5672/',
      'getaddrinfo ENOTFOUND amqp://[redacted]:5672/',
    ],
    [
      'Failed to parse URL from https://v.io/a?email=j%40x.org',
      'Failed to parse URL from https://v.io/a?[redacted]',
    ],
    ['is +33612345678 a number?', 'is [redacted] a number?'],
    ['connect ECONNREFUSED 127.0.0.1:5672', 'connect ECONNREFUSED 127.0.0.1:5672'],
  ])('contains no personal data: %s', (message, logged) => {
    expect(serializeError(new Error(message))['message']).toBe(logged);
  });

  test('can be any thrown value', () => {
    expect(serializeError('a secret')).toEqual({ name: 'thrown value', type: 'string' });
  });
});
