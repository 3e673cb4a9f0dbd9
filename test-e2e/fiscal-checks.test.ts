import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
beforeAll(async () => {
  retailer = await aRetailer({ checks: { event: true } });
});

interface Check {
  readonly code: string;
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

const receiptWith = (fiscal: object, overrides: { total: number; [member: string]: unknown }) =>
  aReceipt({
    payments: [],
    items: [{ name: 'Tea', quantity: 1, total: overrides.total }],
    ...overrides,
    fiscal,
  });

async function checked(fiscal: object, overrides: { total: number; [member: string]: unknown }) {
  const posted = await retailer.api.post('/receipts', receiptWith(fiscal, overrides));
  expect(posted.status).toBe(201);
  const id = posted.body.id as string;
  const { status, body } = await retailer.api.get(`/receipts/${id}`, { checks: 'true' });
  expect(status).toBe(200);
  return { id, checks: body.checks as Check[] };
}

/** The example of DSFinV-K, of the specification of TicketBAI, of the Portuguese and of the Spanish tax agency. */
const tse =
  'V0;955002-00;Kassenbeleg-V1;Beleg^0.00_2.55_0.00_0.00_0.00^2.55:Bar;18;112;2019-07-10T18:41:04.000Z;' +
  '2019-07-10T18:41:04.000Z;ecdsa-plain-SHA256;unixTime;' +
  'MEQCIAy4P9k+7x9saDO0uRZ4El8QwN+qTgYiv1DIaJIMWRiuAiAt+saFDGjK2Yi5Cxgy7PprXQ5O0seRgx4ltdpW9REvwA==;' +
  'BHhWOeisRpPBTGQ1W4VUH95TXx2GARf8e2NYZXJoInjtGqnxJ8sZ3CQpYgjI+LYEmW5A37sLWHsyU7nSJUBemyU=';
const ticketbai =
  'https://batuz.eus/QRTBAI/?id=TBAI-00000006Y-251019-btFpwP8dcLGAF-237&s=T&nf=27174&i=4.70&cr=007';
const pt =
  'A:123456789*B:999999990*C:PT*D:FS*E:N*F:20190812*G:FS CDVF/12345*H:CDF7T5HD-12345*I1:PT*I7:0.65*I8:0.15*N:0.15*' +
  'O:0.80*Q:YhGV*R:9999*S:NU;0.80';
const verifactu =
  'https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR?nif=89890001K&numserie=1&fecha=01-09-2024&importe=241.4';
/** A receipt of the Austrian test suite, and the public key of its till. */
const rksv =
  '_R1-AT0_DEMO-CASH-BOX524_366596_2015-12-17T11:23:44_0,00_0,00_3,64_-2,60_1,79_VFJB_47be737cb1f6d1f1_ZvNxJw6a1A4=_' +
  'J7YC28zquHfHzMpx02TqElbXOTSgXQu5JAA9Xu1Xzzu5p8eUYT+sgmyhzRps5nYyEp5Yh8ATIa9130zmuiACHw==';
const certificate =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEj2o/biHRWN3CSBDzqaPgdtzxyvtAVjMViu2Jf5iO0rnq/Ez/Lytld2E43R9XgDbyIYdkjCPcYsqtBOO0AXg1qQ==';

it.each([
  ['de-tse', { qr: tse, number: '18', counter: 112, device_id: '955002-00' }, { total: 2.55 }],
  ['at-rksv', { qr: rksv, certificate }, { total: 2.83 }],
  [
    'pt',
    { qr: pt, texts: ['ATCUD:CDF7T5HD-12345'] },
    { total: 0.8, localtime: '2019-08-12T12:00:00', taxes: [{ name: 'iva', rate: 23, amount: 0.15 }] },
  ],
  ['es-ticketbai', { qr: ticketbai }, { total: 4.7 }],
  ['es-verifactu', { qr: verifactu }, { total: 241.4, localtime: '2024-09-01T12:00:00' }],
  ['other', { qr: 'anything' }, { total: 1 }],
])('finds nothing in a right code of %s', async (regime, fiscal, overrides) => {
  expect((await checked({ regime, ...fiscal }, overrides)).checks).toEqual([]);
});

it.each([
  ['de-tse', { qr: tse.replace(';112;', ';113;') }, { total: 2.55 }, 'fiscal_signature', '/fiscal/qr'],
  ['de-tse', { qr: tse }, { total: 2.56 }, 'fiscal_amounts', '/fiscal/qr'],
  ['de-tse', { qr: tse, counter: 111 }, { total: 2.55 }, 'fiscal_fields', '/fiscal/counter'],
  [
    'at-rksv',
    { qr: rksv.replace('_3,64_', '_3,65_'), certificate },
    { total: 2.84 },
    'fiscal_signature',
    '/fiscal/qr',
  ],
  [
    'at-rksv',
    { qr: rksv, texts: ['Sicherheitseinrichtung ausgefallen'] },
    { total: 2.83 },
    'fiscal_signature',
    '/fiscal/texts/0',
  ],
  ['pt', { qr: pt }, { total: 0.8, localtime: '2019-08-13T12:00:00' }, 'fiscal_fields', '/fiscal/qr'],
  [
    'es-ticketbai',
    { qr: ticketbai.replace('cr=007', 'cr=008') },
    { total: 4.7 },
    'fiscal_signature',
    '/fiscal/qr',
  ],
  [
    'es-verifactu',
    { qr: verifactu },
    { total: 241.5, localtime: '2024-09-01T12:00:00' },
    'fiscal_amounts',
    '/fiscal/qr',
  ],
  ['es-verifactu', {}, { total: 1 }, 'fiscal_fields', '/fiscal/qr'],
])('reports what is wrong with %s (%#)', async (regime, fiscal, overrides, code, path) => {
  const { id, checks } = await checked({ regime, ...fiscal }, overrides);
  expect(checks).toMatchObject([{ code, path }]);
  expect(checks[0]).toHaveProperty('expected');
  const { body } = await retailer.api.get('/receipts/_search', { query: `+checks:${code} +fiscal:*` });
  expect((body.receipts as { id: string }[]).map((receipt) => receipt.id)).toContain(id);
});

it('lists each mandatory fact of a Swedish receipt that is missing, beside other checks', async () => {
  const { checks } = await checked({ regime: 'se' }, { total: 5, subtotal: 6, store_reference: 'none' });
  expect(checks.map(({ code, path }) => `${code} ${path}`)).toEqual([
    'items_total /subtotal',
    ...['/store/name', '/store/address', '/store/vatno', '/taxes', '/payments', '/till_uuid'].map(
      (path) => `fiscal_fields ${path}`,
    ),
    ...['/fiscal/texts', '/fiscal/device_id', '/fiscal/signature'].map((path) => `fiscal_fields ${path}`),
  ]);
});

it('accepts every receipt, whatever its code, and publishes the failed checks', async () => {
  const from = (await retailer.api.get('/events', { types: 'receipt.check_failed' })).body._links.next
    .href as string;
  const long = ';'.repeat(4_096);
  const { id, checks } = await checked({ regime: 'de-tse', qr: long }, { total: 1 });
  expect(checks.every(({ code }) => code === 'fiscal_fields')).toBe(true);
  let codes: unknown;
  await until('the event', async () => {
    const { body } = await retailer.api.get(from);
    const events = body.events as { subject: string; data: { codes: string[] } }[];
    codes = events.find(({ subject }) => subject === id)?.data.codes;
    return codes !== undefined;
  });
  expect(codes).toEqual(['fiscal_fields']);
});
