import { FakeBroker } from '@receipts/messaging/testing';
import { callOf } from '@receipts/testing';
import { Sandbox } from '../../sandbox/sandbox';
import { runOnSample } from '../../use-cases/run-on-sample';
import type { Decoded } from '../run-mapping';
import { packetOfSample } from '../sample-packet';

/** The PDF library is an ECMAScript module, which only a sandboxed process loads. */
let sandbox: Sandbox;
beforeAll(() => {
  sandbox = new Sandbox({ processesMax: 1 });
});
afterAll(() => sandbox.stop());

interface Drawn {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** A page in Courier of 10 points, whose characters are 6 points wide. */
function pageOf(drawn: readonly Drawn[]): string {
  const shown = drawn.map(({ x, y, text }) => `BT /F 10 Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET`);
  return shown.join('\n');
}

function pdfOf(...pages: (readonly Drawn[])[]): Buffer {
  const contents = pages.map(pageOf);
  const kids = pages.map((_, index) => `${10 + index} 0 R`).join(' ');
  const objects = [
    '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
    `2 0 obj << /Type /Pages /Kids [${kids}] /Count ${pages.length} >> endobj`,
    '3 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Courier >> endobj',
    ...contents.flatMap((content, index) => [
      `${10 + index} 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 300 800] /Contents ${50 + index} 0 R /Resources << /Font << /F 3 0 R >> >> >> endobj`,
      `${50 + index} 0 obj << /Length ${content.length} >> stream\n${content}\nendstream endobj`,
    ]),
  ];
  return Buffer.from(`%PDF-1.4\n${objects.join('\n')}\ntrailer << /Root 1 0 R >>\n%%EOF\n`);
}

async function partsOf(pdf: Buffer, split?: string) {
  const { decoded = '{}' } = await runOnSample(
    { sandbox, broker: new FakeBroker(), now: () => new Date() },
    callOf('demo'),
    {
      decode: { type: 'pdf', ...(split !== undefined && { split }) },
      transform: { language: 'jsonata', expression: '[]' },
    },
    packetOfSample({ input_base64: pdf.toString('base64') }, new Date()),
  );
  return (JSON.parse(decoded) as Decoded).parts.map(({ lines }) => lines);
}

test('keeps texts in their columns and orders lines by height', async () => {
  const page = [
    { x: 170, y: 600, text: '5.00' },
    { x: 50, y: 600, text: 'TOTAL' },
    { x: 50, y: 650, text: 'TEA' },
    { x: 62, y: 630, text: 'hot' },
    { x: 170, y: 650, text: '5.00' },
  ];
  expect(await partsOf(pdfOf(page))).toEqual([
    ['TEA                 5.00', '  hot', 'TOTAL               5.00'],
  ]);
});

test('a text that is drawn twice within a point counts once, and adjacent texts are one', async () => {
  const page = [
    { x: 50, y: 600, text: 'TOTAL' },
    { x: 50.5, y: 600.3, text: 'TOTAL' },
    { x: 50, y: 580, text: 'Caf' },
    { x: 68, y: 580, text: 'es' },
  ];
  expect(await partsOf(pdfOf(page))).toEqual([['TOTAL', 'Cafes']]);
});

test('the pages are one part, or one each if split is a form feed', async () => {
  const pdf = pdfOf([{ x: 50, y: 600, text: 'A' }], [{ x: 50, y: 600, text: 'B' }]);
  expect(await partsOf(pdf)).toEqual([['A', 'B']]);
  expect(await partsOf(pdf, '\f')).toEqual([['A'], ['B']]);
  expect(await partsOf(pdf, 'none')).toEqual([['A', '\f', 'B']]);
});
