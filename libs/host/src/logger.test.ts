import { notFound, ServiceError } from '@receipts/kernel';
import { createLogger, errorFields, type LoggerOptions } from './logger';

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
  test('is one JSON line a record, with the fields of its caller', () => {
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

  test('keeps the order of its lines and leaves out what is below the level', () => {
    const { log, lines } = logTo({ level: 'warn' });
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines().map(({ msg }) => msg)).toEqual(['c', 'd']);
  });

  test('writes an error at once, with what came before, and everything else a moment later', async () => {
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

  test('shows no value whose name says that it must not be logged, at any depth', () => {
    const { log, lines } = logTo();
    log.info('x', { body: '{"a":1}', nested: { token: 't', list: [{ email: 'a@b.c' }] }, count: 1 });
    expect(lines()[0]).toMatchObject({
      body: '[redacted]',
      nested: { token: '[redacted]', list: [{ email: '[redacted]' }] },
      count: 1,
    });
  });

  test('prints what JSON cannot', () => {
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
  test('brings its internal text, its causes and its stack', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const fields = errorFields(new ServiceError(notFound, { internal: 'no such shard', cause }));
    expect(fields).toMatchObject({
      error: 'ServiceError',
      error_message: 'not found',
      internal: 'no such shard',
      status: 404,
      cause: { error: 'Error', error_code: 'ECONNREFUSED' },
    });
    expect(fields['stack']).toContain('logger.test.ts');
  });

  test('quotes no data of the text that was not JSON or of the key that existed', () => {
    const parse = () => {
      try {
        return JSON.parse('{"email": "a@b.c" oops');
      } catch (error) {
        return errorFields(error);
      }
    };
    const duplicate = new Error(
      'E11000 duplicate key error collection: db.c index: i dup key: { email: "a@b.c" }',
    );
    expect(JSON.stringify([parse(), errorFields(duplicate)])).not.toContain('a@b.c');
    expect(errorFields(duplicate)['error_message']).toContain('index: i');
  });

  test('may be anything that was thrown', () => {
    expect(errorFields('a secret')).toEqual({ error: 'thrown value', error_type: 'string' });
  });
});
