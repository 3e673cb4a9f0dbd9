import { connect, type Socket } from 'node:net';
import { deserialize, serialize, type Document } from 'bson';
import fc from 'fast-check';
import { encode } from '../bson/write';
import { errorOf, startTestServer, type TestServer } from '../testing/server';

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
  await t.db.collection('c').insertOne({ a: 1 });
});
afterAll(() => t.stop());

const header = (length: number, opcode: number, id = 7): Buffer => {
  const b = Buffer.alloc(16);
  b.writeInt32LE(length, 0);
  b.writeInt32LE(id, 4);
  b.writeInt32LE(opcode, 12);
  return b;
};

const framed = (opcode: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([header(16 + body.length, opcode), body]);
};

const flags = (n: number): Buffer => {
  const b = Buffer.alloc(4);
  b.writeUInt32LE(n);
  return b;
};

const bson = (d: Document): Buffer => Buffer.from(serialize(d));
const message = (d: Document): Buffer => framed(2013, flags(0), Buffer.from([0]), bson(d));

function open(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(t.server.port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => undefined);
  });
}

/** Sends bytes. Returns the document of the first reply, or undefined if the server closed the connection. */
async function exchange(bytes: Buffer, pieces = 1): Promise<Document | undefined> {
  const socket = await open();
  const answer = new Promise<Document | undefined>((resolve) => {
    let got = Buffer.alloc(0);
    socket.on('data', (b) => {
      got = Buffer.concat([got, b]);
      if (got.length < 4 || got.length < got.readInt32LE(0)) return;
      const start = got.readInt32LE(12) === 1 ? 36 : 21;
      resolve(deserialize(got.subarray(start, got.readInt32LE(0))));
    });
    socket.on('close', () => resolve(undefined));
  });
  const step = Math.ceil(bytes.length / pieces);
  for (let i = 0; i < bytes.length; i += step) {
    socket.write(bytes.subarray(i, i + step));
    if (pieces > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const result = await answer;
  socket.destroy();
  return result;
}

const ping = { ping: 1, $db: 'test' };

test('responds to the old OP_QUERY hello', async () => {
  const query = framed(
    2004,
    flags(0),
    Buffer.from('admin.$cmd\0'),
    flags(0),
    flags(0xffffffff),
    bson({ ismaster: 1, helloOk: true }),
  );
  expect(await exchange(query)).toMatchObject({ ismaster: true, helloOk: true, maxWireVersion: 21, ok: 1 });
});

test('accepts a message in arbitrary chunks, with its body after its documents', async () => {
  expect(await exchange(message(ping), 23)).toMatchObject({ ok: 1 });
  const docs = bson({ b: 1 });
  const name = Buffer.from('documents\0');
  const length = Buffer.alloc(4);
  length.writeInt32LE(4 + name.length + docs.length);
  const sequence = Buffer.concat([Buffer.from([1]), length, name, docs]);
  const body = Buffer.concat([Buffer.from([0]), bson({ insert: 'seq', $db: 'test' })]);
  expect(await exchange(framed(2013, flags(0), sequence, body))).toMatchObject({ n: 1, ok: 1 });
});

test('responds to several messages in order', async () => {
  const socket = await open();
  let got = Buffer.alloc(0);
  const done = new Promise<void>((resolve) => {
    socket.on('data', (b) => {
      got = Buffer.concat([got, b]);
      if (got.toString('latin1').split('\x10n\0').length > 3) resolve();
    });
  });
  const insert = (i: number): Buffer => message({ insert: 'order', documents: [{ _id: i }], $db: 'test' });
  socket.write(Buffer.concat([insert(1), insert(2), insert(3)]));
  await done;
  socket.destroy();
  expect((await t.db.collection('order').find().toArray()).map((d) => d._id)).toEqual([1, 2, 3]);
});

test.each<[string, Buffer]>([
  ['a length below the header', header(15, 2013)],
  ['a negative length', header(-1, 2013)],
  ['a length beyond 48 MB', header(50_000_000, 2013)],
  ['an unknown opcode', framed(2010, bson(ping))],
  ['an unknown required flag', framed(2013, flags(4), Buffer.from([0]), bson(ping))],
  ['a checksum', framed(2013, flags(1), Buffer.from([0]), bson(ping), flags(0))],
  ['an unknown section', framed(2013, flags(0), Buffer.from([9]), bson(ping))],
  ['no body', framed(2013, flags(0), Buffer.from([1, 14, 0, 0, 0]), Buffer.from('documents\0'))],
  ['two bodies', framed(2013, flags(0), Buffer.from([0]), bson(ping), Buffer.from([0]), bson(ping))],
  ['a document longer than its message', framed(2013, flags(0), Buffer.from([0, 0xff, 0, 0, 0, 0]))],
  [
    'a string longer than its document',
    framed(2013, flags(0), Buffer.from([0]), Buffer.from('\x11\0\0\0\x02a\0\xff\0\0\0abc\0\0\0', 'latin1')),
  ],
  [
    'a sequence longer than its message',
    framed(2013, flags(0), Buffer.from([1, 0xff, 0xff, 0, 0]), Buffer.from('documents\0')),
  ],
  ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
])('%s closes only the connection', async (_name, bytes) => {
  expect(await exchange(bytes)).toBeUndefined();
  expect(await t.db.command({ ping: 1 })).toMatchObject({ ok: 1 });
});

test('rejects a document that is nested too deeply, but not one at the limit', async () => {
  const nested = (depth: number): Document => {
    let d: Document = { leaf: 1 };
    for (let i = 1; i < depth; i++) d = { d };
    return d;
  };
  await t.db.collection('deep').insertOne(nested(170));
  expect((await t.db.collection('deep').find().toArray()).length).toBe(1);
  expect((await errorOf(t.db.collection('deep').insertOne(nested(250)))).code).toBe(15);
  const filter = nested(100);
  expect(await t.db.collection('deep').findOne(filter)).toBeNull();
  let or: Document = { a: 1 };
  for (let i = 0; i < 70; i++) or = { $or: [or] };
  await t.db.collection('deep').findOne(or);
});

test('rejects a document of more than 16 MiB', async () => {
  const text = 'x'.repeat(6_000_000);
  const body = encode({ insert: 'c', documents: [{ a: text, b: text, c: text }], $db: 'test' });
  const command = framed(2013, flags(0), Buffer.from([0]), body);
  const answer = await exchange(command);
  expect(answer!.writeErrors[0].code).toBe(10334);
});

test('survives random byte changes', async () => {
  const seeds = [
    message({ find: 'c', filter: { a: { $in: [1, 'x'] } }, sort: { a: 1 }, $db: 'test' }),
    message({ insert: 'fuzz', documents: [{ a: 'text', b: [1, { c: new Date() }] }], $db: 'test' }),
    message({ update: 'fuzz', updates: [{ q: { a: 'text' }, u: { $set: { 'b.1.c': 2 } } }], $db: 'test' }),
    message({
      aggregate: 'c',
      pipeline: [{ $match: { a: 1 } }, { $group: { _id: '$a', n: { $sum: 1 } } }],
      cursor: {},
      $db: 'test',
    }),
    message({ createIndexes: 'fuzz', indexes: [{ key: { a: 1 }, name: 'a' }], $db: 'test' }),
  ];
  const change = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...seeds), change, async (seed, changes) => {
      const bytes = Buffer.from(seed);
      // The length prefix stays valid, because the server would otherwise wait for more bytes.
      for (const [at, value] of changes) bytes[4 + (at % (bytes.length - 4))] = value;
      const socket = await open();
      socket.end(bytes);
      await new Promise((resolve) => socket.once('close', resolve).resume());
    }),
    { numRuns: 400 },
  );
  expect(await t.db.command({ ping: 1 })).toMatchObject({ ok: 1 });
});
