import { newId } from '@receipts/kernel';
import { refusalOf, worldOfTests } from '../testing/world';

const world = worldOfTests();

const megabyte = 1024 * 1024;

test('stores the posted attachment for its retailer, and publishes it without its bytes', async () => {
  const headers = { 'content-disposition': 'attachment; filename="../../etc/pass\\"wd.html"' };
  const input = { headers, contentType: 'text/html; charset=utf-8', body: Buffer.from('<b>') };
  const { body, meta } = await world.ask('createAttachment', input);
  const { id } = meta;
  expect(body).toEqual({ id, url: `/attachments/${id}` });
  const facts = { filename: 'passwd.html', size: 3 };
  const kept = { _id: id, ...facts, contentType: 'text/html; charset=utf-8' };
  expect(await world.kept('attachments')).toMatchObject([kept]);
  const [event] = await world.events(id);
  expect(event).toMatchObject({ type: 'attachment.created', sequence: 1, retailer: world.retailer });
  expect(event?.data).toEqual({ ...body, ...facts, content_type: 'text/html; charset=utf-8' });
});

test.each(['attachment', 'attachment; filename=""', 'inline; name=a.txt'])(
  'rejects an attachment without a file name, as in %s',
  async (disposition) => {
    expect(await refusalOf(world.upload({ disposition }))).toBe('400 filename_missing');
    expect(await world.kept('attachments')).toEqual([]);
  },
);

test('rejects an attachment without the header', async () => {
  const input = { headers: {}, contentType: 'text/plain', body: Buffer.from('x') };
  expect(await refusalOf(world.ask('createAttachment', input))).toBe('400 filename_missing');
});

test('stores an attachment of the maximum size, with the longest header', async () => {
  const disposition = `attachment; filename="${'x'.repeat(8_000)}"`;
  await world.upload({ body: Buffer.alloc(15 * megabyte), disposition });
  expect(await world.kept('attachments')).toMatchObject([{ size: 15 * megabyte }]);
});

test('replaces an invalid type with application/octet-stream', async () => {
  await world.upload({ contentType: 'text/plain\r\nx: y' });
  expect(await world.kept('attachments')).toMatchObject([{ contentType: 'application/octet-stream' }]);
});

test('stores the consumers of the caller sorted, each once', async () => {
  await world.upload({ call: { consumers: ['joe', 'ann', 'joe'] } });
  expect(await world.kept('attachments')).toMatchObject([{ consumers: ['ann', 'joe'] }]);
});

test('creates another attachment for a repeated request, unless the message or the idempotency key is the same', async () => {
  const first = await world.upload();
  expect(await world.upload()).not.toBe(first);
  const message = { id: newId() };
  expect(await world.upload({ call: message })).toBe(await world.upload({ call: message }));
  const keyed = { idempotencyKey: 'k' };
  expect(await world.upload({ call: keyed })).toBe(await world.upload({ call: keyed }));
  expect(await world.kept('attachments')).toHaveLength(4);
});

test('creates ids that reveal nothing about each other', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => world.upload()));
  expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
});
