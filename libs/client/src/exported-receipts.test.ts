import { ApiError } from './api-error';
import { createReceiptsClient } from './client';
import { exportedReceipts } from './exported-receipts';

const range = { from: '2026-01-01', to: '2026-04-01' };
const lineOf = (value: object) => `${JSON.stringify(value)}\n`;
const part = (ids: readonly string[], cursor: string) =>
  ids.map((id) => lineOf({ id })).join('') + lineOf({ _cursor: cursor });

/** A body that ends after some text. */
const broken = (text: string) => {
  let isSent = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isSent) controller.error(new TypeError('terminated'));
      else controller.enqueue(new TextEncoder().encode(text));
      isSent = true;
    },
  });
};

function clientOf(answer: (after: string | null) => Response) {
  const asked: (string | null)[] = [];
  const client = createReceiptsClient({
    baseUrl: 'https://receipts.example',
    send: (request) => {
      const { searchParams } = new URL(request.url);
      asked.push(searchParams.get('after'));
      return Promise.resolve(answer(searchParams.get('after')));
    },
  });
  return { client, asked };
}

async function idsOf(client: ReturnType<typeof clientOf>['client']): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { receipts, cursor } of exportedReceipts(client, range))
    seen.push([...receipts.map(({ id }) => id), cursor]);
  return seen;
}

it('returns an export in parts with their cursors', async () => {
  const { client } = clientOf(() => new Response(part(['a', 'b'], '1') + part(['c'], '2')));
  expect(await idsOf(client)).toEqual([
    ['a', 'b', '1'],
    ['c', '2'],
  ]);
});

it('continues an interrupted download after its last cursor', async () => {
  const { client, asked } = clientOf((after) =>
    after === null
      ? new Response(broken(part(['a'], '1') + lineOf({ id: 'b' })))
      : new Response(part(['b', 'c'], '2')),
  );
  expect(await idsOf(client)).toEqual([
    ['a', '1'],
    ['b', 'c', '2'],
  ]);
  expect(asked).toEqual([null, '1']);
});

it('eventually fails a download that makes no progress', async () => {
  const { client, asked } = clientOf(() => new Response(broken(lineOf({ id: 'a' }))));
  await expect(idsOf(client)).rejects.toThrow('terminated');
  expect(asked).toHaveLength(5);
});

it('treats a download without a cursor at its end as incomplete', async () => {
  const { client, asked } = clientOf((after) =>
    after === null ? new Response(part(['a'], '1') + lineOf({ id: 'b' })) : new Response(part(['b'], '2')),
  );
  expect(await idsOf(client)).toEqual([
    ['a', '1'],
    ['b', '2'],
  ]);
  expect(asked).toEqual([null, '1']);
});

it('throws an error for an error response', async () => {
  const { client } = clientOf(() =>
    Response.json({ description: 'no', code: 'invalid_parameter' }, { status: 400 }),
  );
  await expect(idsOf(client)).rejects.toThrow(ApiError);
});
