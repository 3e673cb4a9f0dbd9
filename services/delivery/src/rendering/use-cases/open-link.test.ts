import { linkTokens, receiptNotFound } from '@receipts/contracts';
import { newId, ServiceError } from '@receipts/kernel';
import { callOf, publicUrl, retailerOf } from '../../testing/samples';
import { openLinkOrWait, type LinkDependencies } from './open-link';

const dayMs = 24 * 60 * 60_000;

/** Opens a link some time after it was issued. */
function openAfter(ms: number, status = receiptNotFound.status) {
  const tokens = linkTokens('a secret');
  const deps: LinkDependencies = {
    tokens,
    publicUrl,
    generations: { current: () => Promise.resolve(0) } as never,
    ask: () => Promise.reject(new ServiceError({ status, description: 'no receipt' })),
    retailer: (id) => Promise.resolve(retailerOf(id)),
    now: () => new Date(Date.now() + ms),
  };
  const token = tokens.seal({ retailer: 'r', receiptId: newId(), generation: 0 });
  return openLinkOrWait(token, callOf(''), deps);
}

it.each([receiptNotFound.status, 409])(
  'waits for 30 days for a receipt whose request returns %i',
  async (status) => {
    expect(await openAfter(30 * dayMs - 60_000, status)).toMatchObject({ receipt: undefined });
    const late = { status: 404, code: 'link_not_found' };
    await expect(openAfter(30 * dayMs, status)).rejects.toMatchObject(late);
  },
);

it('does not wait for a deleted receipt, or while receipts cannot be read', async () => {
  await expect(openAfter(0, 410)).rejects.toMatchObject({ status: 410 });
  await expect(openAfter(0, 503)).rejects.toMatchObject({ status: 503 });
});
