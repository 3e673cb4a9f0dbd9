import { spawnSync } from 'node:child_process';
import {
  BinaryBitmap,
  Code128Reader,
  HybridBinarizer,
  QRCodeReader,
  RGBLuminanceSource,
  type Reader,
} from '@zxing/library';
import { PNG } from 'pngjs';
import { defaultRetailerSettings, type GiftReceipt } from '@receipts/contracts';
import { silentLog } from '@receipts/testing';
import { fullReceipt } from '../../testing/rendered-samples';
import { renderedAtOnce } from '../in-steps';
import { mailFiles } from '../mail/mail-files';
import { pageInSteps } from '../page/page';
import { giftPdf } from '../pdf/gift-pdf';
import { pdfOf } from '../pdf/pdf';
import { giftViewInSteps } from '../view/gift-view';
import { viewOf } from '../view/view';
import { barcodeSvg } from './barcode';

interface Picture {
  readonly width: number;
  readonly height: number;
  /** One byte a pixel, 0 is black. */
  readonly pixels: Uint8ClampedArray;
}

/** What a scanner reads in a picture; undefined if it finds no code. */
function scan({ width, height, pixels }: Picture, reader: Reader): string | undefined {
  const bitmap = new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(pixels, width, height)));
  try {
    return reader.decode(bitmap).getText();
  } catch {
    return undefined;
  }
}

/** 55 mm, more than any code is high, and 10 mm, at 300 pixels per inch. */
const windowPixels = 650;
const stepPixels = 118;

/** What a scanner reads that is moved down a page. */
function scanPage({ width, height, pixels }: Picture, reader: Reader): Set<string> {
  const found = new Set<string>();
  for (let top = 0; top < height; top += stepPixels) {
    const rows = Math.min(windowPixels, height - top);
    const band = { width, height: rows, pixels: pixels.slice(top * width, (top + rows) * width) };
    const text = scan(band, reader);
    if (text !== undefined) found.add(text);
  }
  return found;
}

const scale = 4;

/** Draws the rectangles of an SVG. */
function drawn(svg: string): Picture {
  const [, columns = '', rows = ''] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
  const [width, height] = [Number(columns) * scale, Number(rows) * scale];
  const pixels = new Uint8ClampedArray(width * height).fill(255);
  for (const match of svg.slice(svg.lastIndexOf('<path')).matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g)) {
    const [left = 0, top = 0, right = 0, down = 0] = match.slice(1).map((each) => Number(each) * scale);
    for (let y = top; y < top + down; y++) pixels.fill(0, y * width + left, y * width + left + right);
  }
  return { width, height, pixels };
}

function pngPicture(content: Buffer): Picture {
  const { width, height, data } = PNG.sync.read(content);
  return {
    width,
    height,
    pixels: Uint8ClampedArray.from({ length: width * height }, (_, n) => data[4 * n] ?? 0),
  };
}

const isPdftoppmInstalled = spawnSync('pdftoppm', ['-v']).error === undefined;
const withPdftoppm = isPdftoppmInstalled ? it : it.skip;

/** The first page of a PDF, as a scanner sees it. */
function printed(pdf: Buffer): Picture {
  const options = { input: pdf, maxBuffer: 256 * 1024 * 1024 };
  const { stdout } = spawnSync('pdftoppm', ['-gray', '-r', '300', '-singlefile', '-'], options);
  const [header = '', width = '', height = ''] =
    /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(stdout.toString('latin1')) ?? [];
  return {
    width: Number(width),
    height: Number(height),
    pixels: new Uint8ClampedArray(stdout.subarray(header.length)),
  };
}

/** The longest kind in use, the code of a German security module. */
const code =
  'V0;955002-00;Kassenbeleg-V1;Beleg^0.00_2.55_0.00_0.00_0.00^2.55:Bar;18;112;2019-07-10T18:41:04.000Z;' +
  '2019-07-10T18:41:04.000Z;ecdsa-plain-SHA256;unixTime;' +
  'MEQCIAy4P9k+7x9saDO0uRZ4El8QwN+qTgYiv1DIaJIMWRiuAiAt+saFDGjK2Yi5Cxgy7PprXQ5O0seRgx4ltdpW9REvwA==;' +
  'BHhWOeisRpPBTGQ1W4VUH95TXx2GARf8e2NYZXJoInjtGqnxJ8sZ3CQpYgjI+LYEmW5A37sLWHsyU7nSJUBemyU=';
const page = 'https://receipts.example/r/token';

const fiscalReceipt = () => {
  const none = { device_id: null, number: null, counter: null, started: null, finished: null };
  const fiscal = {
    ...none,
    regime: 'de-tse',
    signature: null,
    certificate: null,
    qr: code,
    texts: [],
  } as const;
  return fullReceipt({ fiscal: { ...fiscal, texts: [] }, items: fullReceipt().items.slice(0, 1) });
};

describe('the code of a fiscal device is read to the letter', () => {
  it('on the page', () => {
    const view = viewOf(fiscalReceipt(), defaultRetailerSettings);
    const { html } = renderedAtOnce(pageInSteps(view, fiscalReceipt()));
    const [, svg = ''] = /<figure class="fiscal"[^>]*>(<svg [^]*?<\/svg>)<\/figure>/.exec(html) ?? [];
    expect(scan(drawn(svg), new QRCodeReader())).toBe(code);
  });

  it('in the e-mail', async () => {
    const view = viewOf(fiscalReceipt(), defaultRetailerSettings);
    const { fiscalQr } = await mailFiles(
      fiscalReceipt(),
      view,
      { retailer: 'r', settings: defaultRetailerSettings, page },
      { findLogo: async () => undefined, proofs: { of: async () => '' }, log: silentLog },
    );
    expect(scan(pngPicture(fiscalQr ?? Buffer.alloc(0)), new QRCodeReader())).toBe(code);
  });

  withPdftoppm.each(['a4', 'roll'] as const)(
    'in the PDF on %s, beside the code of the page',
    async (format) => {
      const pdf = await pdfOf(viewOf(fiscalReceipt(), defaultRetailerSettings), format, page);
      expect([...scanPage(printed(pdf), new QRCodeReader())].sort()).toEqual([code, page].sort());
    },
  );
});

describe('the returns code of a gift receipt is read', () => {
  const gift: GiftReceipt = {
    gift_id: '0123456789012345678901234567890123',
    localtime: '2026-03-14T12:30:00+01:00',
    l10n: { locale: 'en_GB', translation_locale: null },
    store: { name: 'Opera', company: null, address: [], postcode: null, city: 'Paris', phone: null },
    retailer: { name: 'Maison' },
    items: [{ name: 'Scarf', quantity: 2, unit: null }],
    message: 'Happy birthday!',
    until: '2026-04-30',
  };

  it('on the page', () => {
    expect(scan(drawn(barcodeSvg(gift.gift_id)), new Code128Reader())).toBe(gift.gift_id);
  });

  withPdftoppm.each(['a4', 'roll'] as const)('in the PDF on %s', async (format) => {
    const view = renderedAtOnce(giftViewInSteps(gift, defaultRetailerSettings, {}));
    const found = scanPage(printed(await giftPdf(view, format)), new Code128Reader());
    expect([...found]).toEqual([gift.gift_id]);
  });
});
