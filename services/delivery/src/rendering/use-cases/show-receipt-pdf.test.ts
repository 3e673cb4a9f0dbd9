import { newId } from '@receipts/kernel';
import { linkTokens } from '@receipts/contracts';
import { callOf, publicUrl, receiptOf, retailerOf } from '../../testing/samples';
import { PdfRenderer } from './pdf-renderer';
import { showReceiptPdf, type ShowReceiptPdfDependencies } from './show-receipt-pdf';

type Render = NonNullable<ShowReceiptPdfDependencies['render']>;

/** A retailer with receipts, and a renderer that finishes when the test tells it to. */
function world(itemsOfFirst = 1) {
  const tokens = linkTokens('a secret');
  const renderings: { readonly signal: AbortSignal; end(): void }[] = [];
  const render: Render = (_view, _format, address, { signal }) =>
    new Promise((resolve, reject) => {
      if (!signal) throw new Error('nothing ends the rendering');
      renderings.push({ signal, end: () => resolve(Buffer.from(address)) });
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const some = Array.from({ length: 4 }, (_, which) => {
    const receipt = receiptOf();
    if (which > 1) return receipt;
    return { ...receipt, items: Array.from({ length: itemsOfFirst }, () => receipt.items).flat() };
  });
  const receipts = new Map(some.map((one) => [one.id, one]));
  const deps: ShowReceiptPdfDependencies = {
    tokens,
    publicUrl,
    render,
    generations: { current: () => Promise.resolve(0) } as never,
    ask: ((_contract: unknown, { params }: { params: { id: string } }) =>
      Promise.resolve({ body: receipts.get(params.id), meta: { version: 1 } })) as never,
    retailer: (id) => Promise.resolve(retailerOf(id)),
    now: () => new Date(),
    pdfs: new PdfRenderer(() => new Date()),
    findLogo: () => Promise.resolve(undefined),
    proofs: { of: () => Promise.resolve('') },
    viewRecorder: { note: () => undefined },
  };
  const show = showReceiptPdf(deps);
  const retailer = `r-${newId()}`;
  const linked = [...receipts.keys()].map((receiptId) => tokens.seal({ retailer, receiptId, generation: 0 }));
  const open = (which: number, timeoutMs = 60_000) => {
    const call = { ...callOf(''), deadline: Date.now() + timeoutMs };
    return show(
      { params: { token: linked[which] ?? '' }, query: { format: 'a4' }, headers: {}, body: undefined },
      call,
    );
  };
  return { renderings, open };
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};

it('renders two receipts of a retailer at a time, and each only once for concurrent callers', async () => {
  const { renderings, open } = world();
  const first = [open(0), open(1)];
  await until(() => renderings.length === 2);
  const others = [open(0), open(1), open(2)];
  renderings[0]?.end();
  renderings[1]?.end();
  await Promise.all(first);
  await until(() => renderings.length === 3);
  renderings[2]?.end();
  await Promise.all(others);
  expect(await open(2)).toMatchObject({ meta: { contentType: 'application/pdf' } });
  expect(renderings).toHaveLength(3);
});

it('renders a short receipt while long receipts of the retailer are being rendered', async () => {
  const { renderings, open } = world(300);
  const long = [open(0), open(1)];
  await until(() => renderings.length === 2);
  const short = open(2);
  await until(() => renderings.length === 3);
  renderings.forEach(({ end }) => end());
  await Promise.all([...long, short]);
});

it('stops when the caller no longer waits, and starts the next PDF', async () => {
  const { renderings, open } = world();
  const late = [open(0, 200), open(1, 200)];
  for (const one of late)
    await expect(one).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(renderings.filter(({ signal }) => !signal.aborted)).toEqual([]);
  const again = open(0);
  await until(() => renderings.some(({ signal }) => !signal.aborted));
  renderings.at(-1)?.end();
  expect((await again).body).not.toHaveLength(0);
});
