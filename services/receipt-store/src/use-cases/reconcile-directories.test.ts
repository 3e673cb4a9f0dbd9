import type { Broker } from '@receipts/messaging';
import { silentLog, until } from '@receipts/testing';
import { DirectoryReconciler, type ReconcileParts } from './reconcile-directories';

/** @param answer admin's answer for the records after a place */
function reconcilerWith(
  answer: (after: string | undefined) => Promise<{ page: string[]; next: string | null }>,
) {
  const found: string[] = [];
  const model = {
    async reconcile(pages: AsyncIterable<readonly string[]>) {
      for await (const page of pages) found.push(...page);
      return 0;
    },
  };
  const ask = async (_contract: unknown, { body }: { body: { after?: string } }) => {
    const { page, next } = await answer(body.after);
    return { body: { retailers: page, stores: page, next } };
  };
  const reconciler = new DirectoryReconciler({
    ask: ask as unknown as Broker['ask'],
    ...({ retailers: model, stores: model } as unknown as Pick<ReconcileParts, 'retailers' | 'stores'>),
    log: silentLog,
  });
  return { reconciler, found };
}

test('retries until admin replies, and reads all pages', async () => {
  const answer = jest
    .fn(async (after: string | undefined) =>
      after === undefined ? { page: ['a', 'b'], next: 'b' } : { page: ['c'], next: null },
    )
    .mockRejectedValueOnce(new Error('away'));
  const { reconciler, found } = reconcilerWith(answer);
  reconciler.start();
  await until('the copies are complete', () => reconciler.isComplete);
  reconciler.stop();
  expect(found).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  expect(answer).toHaveBeenCalledTimes(5);
});
