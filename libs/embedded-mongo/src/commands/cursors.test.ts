import { bytesOf, documentOf } from '../bson/value';
import { Progress } from '../plan/progress';
import { doc, plain } from '../testing/documents';
import { Cursors, type Results } from './cursors';

const namespace = 'test.things';

function* numbers(count: number): Results {
  for (let n = 0; n < count; n++) yield bytesOf(doc({ n }));
}

interface CommandReply {
  readonly cursor: { readonly id: number | bigint };
}

const idOf = (answer: Buffer): bigint =>
  BigInt((plain(documentOf(answer)) as unknown as CommandReply).cursor.id);

const opened = async (cursors: Cursors, results = numbers(9)): Promise<bigint> =>
  idOf(await cursors.first(namespace, results, new Progress(), 2, false));

const goesOn = (cursors: Cursors, id: bigint): Promise<string> =>
  cursors.more(id, namespace, 2, Infinity).then(
    () => 'more',
    (error: { code: number }) => String(error.code),
  );

test('drops the least recently used cursor above the limit', async () => {
  const cursors = new Cursors(2);
  const first = await opened(cursors);
  const second = await opened(cursors);
  expect(await goesOn(cursors, first)).toBe('more');
  const third = await opened(cursors);
  expect([await goesOn(cursors, second), await goesOn(cursors, first), await goesOn(cursors, third)]).toEqual(
    ['43', 'more', 'more'],
  );
});

test('does not drop a cursor that is being read', async () => {
  const cursors = new Cursors(1);
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  function* slow(): Results {
    yield* numbers(3);
    // The slice ends here, and the next slice does not start before `release`.
    yield undefined;
    yield* numbers(9);
  }
  const busy = idOf(await cursors.first(namespace, slow(), new Progress(Infinity, () => gate), 2, false));
  const reading = goesOn(cursors, busy);
  await expect(opened(cursors)).rejects.toMatchObject({ code: 8 });
  release();
  expect(await reading).toBe('more');
  expect(await goesOn(cursors, busy)).toBe('more');
});

test('removes a cursor that has been read to the end', async () => {
  const cursors = new Cursors();
  const id = await opened(cursors, numbers(3));
  expect(idOf(await cursors.more(id, namespace, 2, Infinity))).toBe(0n);
  expect(await goesOn(cursors, id)).toBe('43');
});
