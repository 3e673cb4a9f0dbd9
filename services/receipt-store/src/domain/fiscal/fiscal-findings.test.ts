import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { PostedReceipt } from '@receipts/contracts';
import { workGrowth } from '@receipts/testing';
import * as codes from '../../testing/fiscal-codes';
import { postedReceipt, retailerOf } from '../../testing/samples';
import { buildReceipt } from '../build-receipt';
import { fiscalFindings } from './fiscal-findings';
import { tlv } from './ecdsa';

type Fiscal = NonNullable<PostedReceipt['fiscal']>;

function findings(fiscal: Fiscal, posted: Partial<PostedReceipt> = {}) {
  const receipt = buildReceipt(
    { ...postedReceipt({}), payments: [], taxes: [], discounts: [], fiscal, ...posted } as PostedReceipt,
    {
      id: 'r',
      transactionId: posted.transaction_id ?? 't',
      posDataIds: [],
      attachments: {},
      retailer: retailerOf('demo'),
      store: undefined,
    },
  );
  return fiscalFindings(receipt).map(
    ({ code, path, expected, actual }) => `${code} ${path} ${expected} ${actual}`,
  );
}
const codesOf = (...args: Parameters<typeof findings>) =>
  findings(...args).map((finding) => finding.split(' ')[0]);

const item = (total: number, more: object = {}) => ({ name: 'Tea', quantity: 1, total, ...more });
const at = (rate: number, amount = 0) => ({ taxes: [{ name: 'vat', rate, amount }] });

describe('de-tse', () => {
  const check = (
    qr: string,
    total: number,
    more: Partial<PostedReceipt> = {},
    fiscal: Partial<Fiscal> = {},
  ) => findings({ regime: 'de-tse', qr, ...fiscal }, { total, items: [item(total)], ...more });

  test.each([
    ['DSFinV-K, brainpoolP256r1', codes.dsfinvk, 2.55],
    ['fiskaly, P-256', codes.fiskaly, 21.42],
  ])('accepts the code of %s', (_, qr, total) => expect(check(qr, total)).toEqual([]));

  test('accepts a signature on brainpoolP384r1, and rejects the thousands separator beside it', () => {
    expect(check(codes.fiskaltrust, 3020)).toEqual([
      'fiscal_fields /fiscal/qr "five gross amounts" "3,000.00_20.00_0.00_0.00_0.00"',
      'fiscal_fields /fiscal/qr "payments" "3,020.00:Bar"',
    ]);
  });

  /** Another valid value for each member: only its meaning changes. */
  const changed: readonly (readonly [name: string, n: number, value: string])[] = [
    ['version', 0, 'V1'],
    ['client', 1, '955002-01'],
    ['process type', 2, 'KassenBeleg-V1'],
    ['process data', 3, 'Beleg^0.00_2.55_0.00_0.00_0.00^2.55:Unbar'],
    ['transaction', 4, '19'],
    ['counter', 5, '113'],
    ['log time', 7, '2019-07-10T18:41:05.000Z'],
    ['algorithm', 8, 'ecdsa-plain-SHA384'],
    ['time format', 9, 'utcTimeWithSeconds'],
    [
      'signature',
      10,
      'MEQCIAy4P9k+7x9saDO0uRZ4El8QwN+qTgYiv1DIaJIMWRivAiAt+saFDGjK2Yi5Cxgy7PprXQ5O0seRgx4ltdpW9REvwA==',
    ],
    [
      'public key',
      11,
      'BO8SGEEyy6KZQeZ+gbaJK9A9s8UkNZ8NhUut3t2BB9D9heCk/rJRwEKIJUCDcjLHl7c3M6jZ8rq98zYeuLuirHc=',
    ],
  ];
  const withMember = (n: number, value: string) => {
    const members = codes.dsfinvk.split(';');
    members[n] = value;
    return members.join(';');
  };
  test.each(changed)('finds a changed %s', (_, n, value) => {
    const code = n === 0 ? 'fiscal_fields' : 'fiscal_signature';
    expect(check(withMember(n, value), 2.55)[0]).toMatch(`${code} /fiscal/qr`);
  });
  test('finds a changed start time, which is not signed, where the receipt has it too', () => {
    const qr = withMember(6, '2019-07-10T18:41:03.000Z');
    expect(check(qr, 2.55, {}, { started: '2019-07-10T20:41:04+02:00' })).toEqual([
      'fiscal_fields /fiscal/started "2019-07-10T18:41:03.000Z" "2019-07-10T20:41:04+02:00"',
    ]);
  });
  test.each(codes.dsfinvk.split(';').map((_, n) => n))('finds member %i malformed or missing', (n) => {
    const values = n === 3 ? ['Beleg^1', 'Beleg^0.00_2.55_0.00_0.00_0.00^2.55:Bar^'] : ['', '?'];
    for (const value of n === 1 || n === 2 ? [''] : values) {
      expect(check(withMember(n, value), 2.55).some((one) => one.startsWith('fiscal_fields'))).toBe(true);
    }
    expect(check(codes.dsfinvk.split(';').toSpliced(n, 1).join(';'), 2.55)).toHaveLength(1);
  });

  test('compares the total, apart from tips', () => {
    expect(check(codes.dsfinvk, 2.6)).toEqual(['fiscal_amounts /fiscal/qr 2.6 2.55']);
    expect(check(codes.dsfinvk, 2.555)).toEqual([]);
    const payments = [{ method: 'cash', amount: 2.55, tip: 0.55 }];
    expect(check(codes.dsfinvk, 2, { payments })).toEqual([]);
    expect(check(codes.dsfinvk, 2.2, { payments: [{ method: 'cash', amount: 3, tip: 0.45 }] })).toEqual([
      'fiscal_amounts /fiscal/qr 2.2 2.55',
    ]);
  });

  test('compares the gross of each rate, if every item states one', () => {
    const ofRates = (...items: object[]) => check(codes.dsfinvk, 2.55, { items } as Partial<PostedReceipt>);
    expect(ofRates(item(1, at(7)), item(1.55, { vat: { rate: 7, amount: 0.1 } }))).toEqual([]);
    expect(ofRates(item(1, at(19)), item(1.55, at(7)))).toEqual([
      'fiscal_amounts /fiscal/qr 1 0',
      'fiscal_amounts /fiscal/qr 1.55 2.55',
    ]);
    expect(ofRates(item(2.55, at(0)))).toEqual([
      'fiscal_amounts /fiscal/qr 0 2.55',
      'fiscal_amounts /fiscal/qr 2.55 0',
    ]);
    expect(ofRates(item(1, at(19)), item(1.55))).toEqual([]);
  });

  test('compares the fields of the receipt with the code', () => {
    const agreeing = { device_id: '955002-00', number: '18', counter: 112, finished: '2019-07-10T18:41:04Z' };
    expect(check(codes.dsfinvk, 2.55, {}, agreeing)).toEqual([]);
    const serial = '1f0d5fc3ba97d7f1ea41cf8e2b4a9a10';
    expect(
      check(
        codes.dsfinvk,
        2.55,
        {},
        { device_id: serial, number: '17', counter: 111, finished: '2019-07-10T18:41:05Z' },
      ).map((one) => one.split(' ').slice(0, 2).join(' ')),
    ).toEqual([
      'fiscal_fields /fiscal/number',
      'fiscal_fields /fiscal/counter',
      'fiscal_fields /fiscal/finished',
      'fiscal_fields /fiscal/device_id',
    ]);
  });

  test('needs a code, or all its facts', () => {
    expect(findings({ regime: 'de-tse' })).toEqual([
      'fiscal_fields /fiscal/qr "V0;client id;…;public key" null',
    ]);
    const facts = {
      device_id: 'd',
      number: '1',
      counter: 1,
      signature: 's',
      started: '2019-07-10T18:41:04Z',
      finished: '2019-07-10T18:41:04Z',
    };
    expect(findings({ regime: 'de-tse', ...facts })).toEqual([]);
  });

  /** No vectors are published for these, so they are made with node:crypto by TR-03151. */
  test.each([
    ['prime256v1', 'SHA256', 'sha256', 3],
    ['secp384r1', 'SHA384', 'sha384', 4],
    ['brainpoolP512r1', 'SHA512', 'sha512', 5],
  ])('accepts a SubjectPublicKeyInfo on %s', (namedCurve, name, hash, number) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
    const spki = publicKey.export({ format: 'der', type: 'spki' });
    const point = spki.subarray(spki.lastIndexOf(Buffer.from([0, 4])) + 1);
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
    const text = (tag: number, value: string) => tlv(tag, Buffer.from(value));
    for (const [serial, time, format] of [
      [digest(point), text(0x18, '20240517120304Z'), 'generalizedTime'],
      [digest(spki), text(0x17, '240517120304Z'), 'utcTimeWithSeconds'],
      [digest(point), text(0x17, '2405171203Z'), 'utcTime'],
      [digest(point), text(0x18, '20240517120304.12Z'), 'generalizedTimeWithMilliseconds'],
    ] as const) {
      const message = Buffer.concat([
        Buffer.from('020102060904007f000703070101', 'hex'),
        text(0x80, 'FinishTransaction'),
        text(0x81, 'till'),
        text(0x82, 'a;b'),
        text(0x83, 'SonstigerVorgang'),
        tlv(0x85, Buffer.from([0, 200])),
        tlv(0x04, serial),
        tlv(0x30, tlv(0x06, Buffer.from(`04007f0007010104010${number}`, 'hex'))),
        tlv(0x02, Buffer.from([1, 0])),
        time,
      ]);
      const signature = sign(hash, message, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      const log = '2024-05-17T12:03:04.120Z';
      const qr = [
        'V0',
        'till',
        'SonstigerVorgang',
        'a;b',
        '200',
        '256',
        log,
        log,
        `ecdsa-plain-${name}`,
        format,
        signature.toString('base64'),
        spki.toString('base64'),
      ].join(';');
      expect(check(qr, 1)).toEqual([]);
      expect(check(qr.replace('till', 'tell'), 1)).toHaveLength(1);
    }
  });
});

describe('at-rksv', () => {
  const check = (qr: string, total: number, fiscal: Partial<Fiscal> = {}) =>
    findings(
      { regime: 'at-rksv', qr, certificate: codes.asitKey, ...fiscal },
      { total, items: [item(total)] },
    );

  test.each([
    ['base64', codes.asitQr, 2.83],
    ['base32', codes.asitOcr, 0],
  ])('accepts the code in %s', (_, qr, total) => {
    expect(check(qr, total)).toEqual([]);
    expect(check(qr, total, { certificate: null })).toEqual([]);
  });

  const members = codes.asitQr.split('_');
  const withMember = (n: number, value: string) => members.with(n, value).join('_');
  test.each([
    [1, 'R1-AT1'],
    [2, 'DEMO-CASH-BOX525'],
    [3, '366597'],
    [4, '2015-12-17T11:23:45'],
    [5, '0,01'],
    [6, '0,01'],
    [7, '3,65'],
    [8, '-2,61'],
    [9, '1,80'],
    [10, 'U1RP'],
    [11, '47be737cb1f6d1f2'],
    [12, 'ZvNxJw6a1A8='],
    [13, 'J7YC28zquHfHzMpx02TqElbXOTSgXQu5JAA9Xu1Xzzu5p8eUYT+sgmyhzRps5nYyEp5Yh8ATIa9130zmuiACIA=='],
  ])('finds a changed member %i', (n, value) => {
    expect(check(withMember(n, value), 2.83)[0]).toMatch(
      /^fiscal_signature \/fiscal\/qr "a valid signature"/,
    );
  });
  test.each(members.slice(1).map((_, n) => n + 1))('finds a missing member %i', (n) => {
    const wrong = check(withMember(n, ''), 2.83, { certificate: null });
    const mayBeEmpty = n === 10 || n === 12;
    expect(wrong.length).toBeGreaterThanOrEqual(mayBeEmpty ? 0 : 1);
    expect(check(members.toSpliced(n, 1).join('_'), 2.83)).toHaveLength(1);
  });

  test('compares the total', () => {
    expect(check(codes.asitQr, 2.84)).toEqual(['fiscal_amounts /fiscal/qr 2.84 2.83']);
  });
  test('compares the number', () => {
    expect(check(codes.asitQr, 2.83, { number: '366596' })).toEqual([]);
    expect(check(codes.asitQr, 2.83, { number: '366597' })).toEqual([
      'fiscal_fields /fiscal/number "366596" "366597"',
    ]);
  });
  test('finds the outage of the signature device in the code and in the texts', () => {
    const outage = 'Sicherheitseinrichtung ausgefallen';
    const finding = `"a valid signature" "${outage}"`;
    for (const signature of [outage, Buffer.from(outage).toString('base64')]) {
      expect(check(withMember(13, signature), 2.83)).toEqual([`fiscal_signature /fiscal/qr ${finding}`]);
    }
    expect(check(codes.asitQr, 2.83, { texts: ['Danke', outage] })).toEqual([
      `fiscal_signature /fiscal/texts/1 ${finding}`,
    ]);
  });
  test('names a certificate that cannot be read', () => {
    expect(check(codes.asitQr, 2.83, { certificate: 'Y2VydA==' })).toEqual([
      'fiscal_fields /fiscal/certificate "a certificate or public key on P-256" "Y2VydA=="',
    ]);
  });
  test('needs a code', () => expect(codesOf({ regime: 'at-rksv' })).toEqual(['fiscal_fields']));
});

describe('pt', () => {
  const check = (qr: string, posted: Partial<PostedReceipt> = {}, texts: string[] = []) =>
    findings(
      { regime: 'pt', qr, texts },
      { total: 0.8, items: [item(0.8, at(23, 0.15))], localtime: '2019-08-12T12:00:00', ...posted },
    );
  const texts = ['ATCUD:CDF7T5HD-12345', 'YhGV-Processado por programa certificado n.º 9999/AT'];

  test('accepts the examples of the specification', () => {
    expect(check(codes.atSimplified, {}, texts)).toEqual([]);
    expect(
      check(codes.atInvoice, { total: 513_600.58, items: [item(1)], localtime: '2019-12-31T12:00:00' }),
    ).toEqual([]);
    expect(
      check(codes.atProForma, { total: 125_165.12, items: [item(1)], localtime: '2019-01-23T12:00:00' }),
    ).toEqual([]);
  });

  const names = codes.atSimplified.split('*').map((member) => member.slice(0, member.indexOf(':')));
  test.each(names)('finds %s malformed', (name) => {
    const qr = codes.atSimplified.replace(new RegExp(`(^|\\*)${name}:[^*]*`), `$1${name}:`);
    expect(check(qr, {}, texts).length).toBeGreaterThan(0);
  });
  test.each(names.filter((name) => name !== 'S'))('finds %s missing', (name) => {
    const qr = codes.atSimplified
      .split('*')
      .filter((member) => !member.startsWith(`${name}:`))
      .join('*');
    expect(check(qr, {}, texts).length).toBeGreaterThan(0);
  });
  test.each([
    ['D:FS', 'D:FT'],
    ['F:20190812', 'F:20190813'],
    ['G:FS CDVF/12345', 'G:FS CDVF/12346'],
    ['H:CDF7T5HD', 'H:CDF7T5HE'],
    ['I7:0.65', 'I7:0.66'],
    ['I8:0.15', 'I8:0.16'],
    ['N:0.15', 'N:0.16'],
    ['O:0.80', 'O:0.81'],
    ['Q:YhGV', 'Q:YhGW'],
    ['R:9999', 'R:9998'],
  ])('finds %s changed to %s', (before, after) => {
    expect(check(codes.atSimplified.replace(before, after), {}, texts).length).toBeGreaterThan(0);
  });

  test('compares total, taxes, date and ATCUD with the receipt', () => {
    const taxes = [{ name: 'iva', rate: 23, amount: 0.2 }];
    expect(check(codes.atSimplified, { total: 0.9, taxes, localtime: '2019-08-13T12:00:00' })).toEqual([
      'fiscal_fields /fiscal/qr "20190813" "20190812"',
      'fiscal_amounts /fiscal/qr 0.9 0.8',
      'fiscal_amounts /fiscal/qr 0.2 0.15',
    ]);
    expect(check(codes.atSimplified, {}, ['ATCUD:CDF7T5HD-12346'])).toEqual([
      'fiscal_fields /fiscal/texts/0 "CDF7T5HD-12345" "CDF7T5HD-12346"',
    ]);
  });
  test('compares the absolute amounts of credit notes', () => {
    const credit = codes.atSimplified.replace('D:FS', 'D:NC').replace('G:FS', 'G:NC');
    expect(check(credit, { total: -0.8, items: [item(-0.8, at(23, -0.15))] })).toEqual([]);
    expect(check(codes.atSimplified, { total: -0.8, items: [item(-0.8)] })).toHaveLength(1);
  });
  test('takes time in proportion to the length of the code', () => {
    const long = (digits: number) =>
      codes.atSimplified.replace('G:FS CDVF/12345', `G:FS ${'1'.repeat(digits)}a/12345`);
    const growth = workGrowth(long(380), long(3_800), (qr) => {
      for (let n = 0; n < 10; n++) check(qr, {}, texts);
    });
    expect(check(long(3_800), {}, texts)).toEqual([]);
    expect(growth).toBeLessThan(12);
  });
  test('needs a code', () => expect(codesOf({ regime: 'pt' })).toEqual(['fiscal_fields']));
});

describe('es-ticketbai', () => {
  const check = (qr: string, posted: Partial<PostedReceipt> = {}) =>
    findings({ regime: 'es-ticketbai', qr }, { total: 4.7, items: [item(4.7)], ...posted });

  test('accepts published codes', () => {
    expect(check(codes.ticketbai)).toEqual([]);
    expect(check(codes.ticketbaiInUse, { total: 299.5 })).toEqual([]);
  });
  test.each([
    ['batuz.eus', 'batuz.eu', '007'],
    ['TBAI-00000006Y', 'TBAI-00000007Y', '007'],
    ['251019', '251119', '007'],
    ['btFpwP8dcLGAF', 'btFpwP8dcLGAG', '007'],
    ['s=T', 's=U', '007'],
    ['nf=27174', 'nf=27175', '007'],
    ['i=4.70', 'i=4.71', '007'],
    ['cr=007', 'cr=008', '008'],
  ])('finds %s changed to %s by the check sum', (before, after, sum) => {
    const found = check(codes.ticketbai.replace(before, after));
    expect(
      found.some((one) => /^fiscal_signature \/fiscal\/qr "\d{3}"/.test(one) && one.endsWith(`"${sum}"`)),
    ).toBe(true);
  });
  test.each(['id', 'nf', 'i', 'cr'])('finds %s missing', (name) => {
    const qr = codes.ticketbai.replace(new RegExp(`([?&])${name}=[^&]*`), '$1');
    expect(check(qr)).toEqual([expect.stringMatching(`^fiscal_fields /fiscal/qr "${name}"`)]);
  });
  test('compares the total and the number', () => {
    expect(check(codes.ticketbai, { total: 4.8 })).toEqual(['fiscal_amounts /fiscal/qr 4.8 4.7']);
    for (const id of ['27174', 'T-27174', 'T27174', 'sale 5']) {
      expect(check(codes.ticketbai, { transaction_id: id })).toEqual([]);
    }
    for (const id of ['27175', 'T-27175']) {
      expect(check(codes.ticketbai, { transaction_id: id })).toEqual([
        `fiscal_fields /fiscal/qr "${id}" "27174"`,
      ]);
    }
  });
  test('needs a URL', () => {
    expect(codesOf({ regime: 'es-ticketbai' })).toEqual(['fiscal_fields']);
    expect(check('TBAI')).toHaveLength(1);
  });
});

describe('es-verifactu', () => {
  const check = (qr: string, posted: Partial<PostedReceipt> = {}) =>
    findings(
      { regime: 'es-verifactu', qr, number: '12345678-G33' },
      { total: 241.4, localtime: '2024-09-01T12:00:00', ...posted },
    );

  test('accepts the example of the specification', () => {
    expect(check(codes.verifactu)).toEqual([]);
    expect(check(codes.verifactu.replace('ValidarQR', 'ValidarQRNoVerifactu'))).toEqual([]);
  });
  test.each([
    ['nif=89890001K', 'nif=8989000', 'fiscal_fields /fiscal/qr "nif" "8989000"'],
    ['numserie=12345678-G33', 'numserie=1', 'fiscal_fields /fiscal/number "1" "12345678-G33"'],
    ['fecha=01-09-2024', 'fecha=02-09-2024', 'fiscal_fields /fiscal/qr "01-09-2024" "02-09-2024"'],
    ['importe=241.4', 'importe=241.5', 'fiscal_amounts /fiscal/qr 241.4 241.5'],
  ])('finds %s changed to %s', (before, after, finding) =>
    expect(check(codes.verifactu.replace(before, after))).toEqual([finding]),
  );
  test.each(['nif', 'numserie', 'fecha', 'importe'])('finds %s missing', (name) => {
    const qr = codes.verifactu.replace(new RegExp(`([?&])${name}=[^&]*`), '$1');
    expect(check(qr)).toEqual([expect.stringMatching(`^fiscal_fields /fiscal/qr "${name}"`)]);
  });
  test('needs a URL', () => {
    expect(codesOf({ regime: 'es-verifactu' })).toEqual(['fiscal_fields']);
    expect(check('nif=89890001K')).toHaveLength(1);
  });
});

describe('se', () => {
  const complete: Fiscal = {
    regime: 'se',
    device_id: 'CU123',
    signature: 'AAAA BBBB',
    texts: ['Elektroniskt kassakvitto'],
  };
  const store = {
    id: 1,
    reference: 1,
    external_reference: null,
    name: 'Butik',
    address: ['Gatan 1'],
    city: 'Lund',
    postcode: null,
    country: 'SWE',
    phone: null,
    vatno: 'SE556677889901',
    company: null,
    locale: null,
    timezone: null,
    currency: null,
    properties: {},
    settings: {},
  };
  const check = (fiscal: Fiscal, posted: Partial<PostedReceipt> = {}, of: object | undefined = store) =>
    fiscalFindings(
      buildReceipt(
        {
          ...postedReceipt({}),
          fiscal,
          till_uuid: 'K1',
          taxes: [{ name: 'moms', rate: 25, amount: 2 }],
          payments: [{ method: 'cash', amount: 10 }],
          ...posted,
        } as PostedReceipt,
        {
          id: 'r',
          transactionId: 't',
          posDataIds: [],
          attachments: {},
          retailer: { ...retailerOf('demo'), vatno: null },
          store: of as never,
        },
      ),
    ).map(({ code, path }) => `${code} ${path}`);

  test('accepts a complete receipt', () => expect(check(complete)).toEqual([]));
  test.each<[string, Fiscal, Partial<PostedReceipt>, ...object[]]>([
    ['/store/name', complete, {}, { ...store, name: null }],
    ['/store/address', complete, {}, { ...store, address: [] }],
    ['/store/vatno', complete, {}, { ...store, vatno: null }],
    ['/taxes', complete, { taxes: [] }],
    ['/taxes', complete, { taxes: [{ name: 'moms', amount: 2 }] }],
    ['/payments', complete, { payments: [] }],
    ['/till_uuid', complete, { till_uuid: null }],
    ['/fiscal/texts', { ...complete, texts: ['Tack'] }, {}],
    ['/fiscal/texts', complete, { duplicate: true }],
    ['/fiscal/device_id', { ...complete, device_id: null }, {}],
    ['/fiscal/signature', { ...complete, signature: null }, {}],
  ])('finds that %s is missing', (path, fiscal, posted, ...[of]) => {
    expect(check(fiscal, posted, of)).toEqual([`fiscal_fields ${path}`]);
  });
});

test.each(['it', 'fr', 'hu', 'other'] as const)('does not check %s', (regime) =>
  expect(findings({ regime, qr: 'anything' })).toEqual([]),
);

test('a hostile code costs little and never throws', () => {
  const long = (text: string) => text.repeat(4_096).slice(0, 4_096);
  const regimes = ['de-tse', 'at-rksv', 'pt', 'es-ticketbai', 'es-verifactu', 'se'] as const;
  const hostile = [
    ...['\u0000', ';', '_', '*', 'A:', '^', '&', '=', '9', '%', '\ud800', 'ATCUD:'].map(long),
    `V0;a;Kassenbeleg-V1;Beleg^${long('0.00_').slice(0, 3_900)}^;1;1;2019-07-10T18:41:04Z;2019-07-10T18:41:04Z;ecdsa-plain-SHA256;unixTime;AAAA;AAAA`,
    `https://batuz.eus/?${long('id=TBAI&').slice(0, 4_000)}`,
  ];
  const before = process.cpuUsage();
  for (const regime of regimes) {
    for (const qr of hostile) {
      for (const one of findings({
        regime,
        qr,
        certificate: long('MIIC'),
        texts: [long('ATCUD').slice(0, 255)],
      })) {
        expect(one.length).toBeLessThan(3_200);
      }
    }
  }
  const { user } = process.cpuUsage(before);
  expect(user / 1000 / (regimes.length * hostile.length)).toBeLessThan(20);
});
