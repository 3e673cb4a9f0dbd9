import type { Call } from '@receipts/kernel';
import type { Portal } from '../open-portal';
import { chooseLanguage } from '../../pages/language';
import { signedIn } from '../signed-in';
import { portalReceiptsCsv } from './receipts-csv';

jest.mock('../signed-in', () => ({ ...jest.requireActual('../signed-in'), signedIn: jest.fn() }));

const row = (position: string) => ({
  id: position,
  transaction_id: `T${position}`,
  localtime: '2026-03-14T12:30:00',
  store_reference: '1',
  store_name: null,
  till_uuid: null,
  identifier: null,
  currency: 'EUR',
  total: 1,
  items: 1,
  first_item: 'Tea',
  payment_methods: [],
  marks: [],
  checks: [],
  relations: [],
  position,
});

/** What receipt-store returns from each position. */
function download(pages: Record<string, { rows: object[]; has_more: boolean; is_complete: boolean }>) {
  jest.mocked(signedIn).mockResolvedValue({
    may: () => true,
    language: chooseLanguage({}),
    retailer: { settings: { timezone: 'UTC' } },
  } as never);
  const ask = (_contract: unknown, { body }: { body: { beyond?: string } }) =>
    Promise.resolve({ body: { clauses: [], ...pages[body.beyond ?? 'start'] } });
  const get = portalReceiptsCsv({ ask, now: () => new Date() } as unknown as Portal);
  return async (part?: string) => {
    const query = { ...(part !== undefined && { part }) };
    const { body, meta } = await get({ query, headers: {} } as never, {} as Call);
    const lines = Buffer.from(body as unknown as Uint8Array)
      .toString()
      .trimEnd()
      .split('\r\n');
    return { numbers: lines.map((line) => line.split(',')[1]), next: (meta as { next?: string }).next };
  };
}

it('continues where a part or its time limit ended, and names the columns once', async () => {
  const get = download({
    start: { rows: [row('9'), row('8')], has_more: true, is_complete: true },
    '8': { rows: [row('7')], has_more: true, is_complete: false },
    '7': { rows: [row('6')], has_more: false, is_complete: true },
  });
  expect(await get()).toEqual({ numbers: ['transaction_id', 'T9', 'T8'], next: '8' });
  expect(await get('8')).toEqual({ numbers: ['T7'], next: '7' });
  expect(await get('7')).toEqual({ numbers: ['T6'], next: undefined });
});

it('does not end a file silently if a search finds nothing within its time limit', async () => {
  const get = download({ start: { rows: [], has_more: false, is_complete: false } });
  await expect(get()).rejects.toMatchObject({ status: 422, code: 'search_too_slow' });
});
