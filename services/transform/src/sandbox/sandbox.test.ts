import type { MappingDecode, PostedMapping } from '@receipts/contracts';
import { Sandbox, SandboxStopped } from './sandbox';

let sandbox: Sandbox;
/** With one process, no other job can run while a job occupies the process. */
let narrow: Sandbox;
const lost: string[] = [];

beforeAll(() => {
  sandbox = new Sandbox({ processesMax: 2, onKilled: (loss) => lost.push(loss) });
  narrow = new Sandbox({ processesMax: 1 });
});
afterAll(() => {
  sandbox.stop();
  narrow.stop();
});

const run = (
  expression: string,
  data: string | Buffer = 'x',
  decode: MappingDecode = { type: 'text' },
  limits: PostedMapping['limits'] = {},
  retailer = 'acme',
  where = sandbox,
) =>
  where.run({
    retailer,
    mapping: JSON.stringify([decode, expression, limits]),
    rules: { decode, transform: { language: 'jsonata', expression }, limits },
    packet: {
      bytes: Buffer.from(data),
      contentType: null,
      metadata: {},
      properties: {},
      attachments: [],
      receivedTimestamp: '2026-01-02T03:04:05+00:00',
    },
  });

/** A one-page PDF with these lines, like one from a till's printer driver. */
function pdf(lines: readonly string[]): Buffer {
  const text = lines.map((line, index) => `1 0 0 1 40 ${800 - index * 14} Tm (${line}) Tj`).join('\n');
  const content = `BT /F1 10 Tf\n${text}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n`, 'latin1');
}

test('returns the receipts as JSON', async () => {
  expect(await run('{ "line": lines[0] }', 'hello')).toEqual({ json: '[{"line":"hello"}]' });
});

test('reads the text of a PDF', async () => {
  const outcome = await run('{ "lines": lines }', pdf(['SHOP', 'Shirt          2      39.90']), {
    type: 'pdf',
  });
  expect(outcome.json).toBe('[{"lines":["SHOP","Shirt          2      39.90"]}]');
  expect((await run('{}', 'no pdf', { type: 'pdf' })).failure?.reason).toBe('decode_failed');
});

test('rejects too many receipts and too much output', async () => {
  const limits = { max_receipts: 3, max_output_kb: 1 };
  expect((await run('[1..4].{"n": $}', 'x', { type: 'text' }, limits)).failure?.reason).toBe('too_large');
  expect((await run('{"n": $pad("x", 2000)}', 'x', { type: 'text' }, limits)).failure?.reason).toBe(
    'too_large',
  );
  expect((await run('[1..3].{"n": $}', 'x', { type: 'text' }, limits)).json).toBe(
    '[{"n":1},{"n":2},{"n":3}]',
  );
});

test('kills a process that hangs in a builtin, without affecting other jobs', async () => {
  // Compares each element with every other: minutes of CPU time, but hardly any memory.
  const hang = '$count($distinct([1..99999]))';
  const limits = { timeout_ms: 100 };
  const [bad, ...good] = await Promise.all([
    run(hang, 'x', { type: 'text' }, limits),
    ...Array.from({ length: 20 }, (_, n) => run(`{ "n": ${n} }`)),
  ]);
  expect(bad.failure?.reason).toBe('timeout');
  expect(good.map(({ json }) => json)).toEqual(good.map((_, n) => `[{"n":${n}}]`));
  expect(lost.length).toBeGreaterThan(0);
});

test('does not let a retailer with slow jobs delay others, even at the start', async () => {
  const endless = '($f := function() { $f() }; $f())';
  await run('{}', 'x', { type: 'text' }, {}, 'quiet', narrow);
  let ended = 0;
  const flood = Array.from({ length: 8 }, async () => {
    const { failure } = await run(endless, 'x', { type: 'text' }, { timeout_ms: 100 }, 'flood', narrow);
    ended++;
    return failure?.reason;
  });
  await new Promise((resolve) => setImmediate(resolve));
  await run('{}', 'x', { type: 'text' }, {}, 'quiet', narrow);
  expect(ended).toBeLessThan(4);
  expect(await Promise.all(flood)).toEqual(flood.map(() => 'timeout'));
});

test('starts a process of another kind while a backlog of one kind lasts', async () => {
  const ended: string[] = [];
  const busy = '{ "n": $count([1..20000].($ * 2)) }';
  const flood = Array.from({ length: 80 }, async () => {
    await run(busy, 'x', { type: 'text' }, {}, 'flood', narrow);
    ended.push('flood');
  });
  await run('{ "lines": lines }', pdf(['SHOP']), { type: 'pdf' }, {}, 'quiet', narrow);
  ended.push('quiet');
  await Promise.all(flood);
  expect(ended.indexOf('quiet')).toBeLessThan(60);
});

test('drops a job that cannot start before its deadline', async () => {
  const endless = '($f := function() { $f() }; $f())';
  const first = run(endless, 'x', { type: 'text' }, { timeout_ms: 200 }, 'acme', narrow);
  const rules = {
    decode: { type: 'text' as const },
    transform: { language: 'jsonata' as const, expression: '{}' },
  };
  const late = narrow.run({ retailer: 'acme', mapping: 'late', rules, deadline: Date.now() + 50 });
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  expect((await first).failure?.reason).toBe('timeout');
});

test('kills the process, not the service, when the memory limit is exceeded', async () => {
  const bomb = '($f := function($a) { $f($append($a, $a)) }; $f(["some text that takes room"]))';
  const hoard = '[1..60000].{ "n": $, "t": $pad("x", 3000, $string($)) }';
  const limits = { memory_mb: 32, timeout_ms: 2_000 };
  for (const expression of [bomb, hoard]) {
    const { failure } = await run(expression, 'x', { type: 'text' }, limits);
    expect(['crashed', 'timeout', 'too_large', 'mapping_failed']).toContain(failure?.reason);
  }
  expect((await run('{ "ok": true }')).json).toBe('[{"ok":true}]');
});

test('denies an expression access to secrets', async () => {
  process.env['SANDBOX_TEST_SECRET'] = 'do not tell';
  const { json = '' } = await run('{ "all": $string($$) }');
  expect(json).not.toContain('do not tell');
});

test('serves more mappings than a process caches', async () => {
  for (const round of [1, 2]) {
    const outcomes = await Promise.all(
      Array.from({ length: 250 }, (_, n) => run(`{ "n": ${n} }`, `${round}`)),
    );
    expect(outcomes.map(({ json }) => json)).toEqual(outcomes.map((_, n) => `[{"n":${n}}]`));
  }
});

test('fails all waiting jobs when it stops', async () => {
  const own = new Sandbox({ processesMax: 1 });
  const rules = {
    decode: { type: 'text' as const },
    transform: { language: 'jsonata' as const, expression: '{}' },
  };
  const waiting = own.run({ retailer: 'a', mapping: 'm', rules });
  own.stop();
  await expect(waiting).rejects.toThrow(SandboxStopped);
  await expect(own.run({ retailer: 'a', mapping: 'm', rules })).rejects.toThrow(SandboxStopped);
});
