import type { MappingDecode } from '@receipts/contracts';
import { cpuTimeMs } from '../cpu-budget';
import { ConversionError } from '../faults/conversion-fault';
import { bytesOf, decodeLines, escpos, type Piece } from '../../testing/printer-bytes';

const hostileBoundMs = 3_000;

/** Repeats some bytes up to two megabytes. */
const endless = (...parts: Piece[]) => Buffer.alloc(2_000_000, bytesOf(...parts));

test.each<[string, MappingDecode['type'], Buffer]>([
  ['placed texts in a line', 'escpos', endless(escpos.at(12), 'A')],
  [
    'placed texts in many lines',
    'escpos',
    endless(...Array.from({ length: 400 }, (_, at) => bytesOf(escpos.at(at), 'A')), '\n'),
  ],
  ['heights of a page', 'escpos', bytesOf(escpos.pageMode, endless(escpos.downBy(5), 'A'))],
  ['reverse feeds', 'escpos', endless('A\n', [0x1b, 0x4b, 40])],
  ['cuts', 'escpos', endless('A\n', escpos.cut)],
  ['pages', 'escpos', endless(escpos.pageMode, 'A\n', [0x1b, 0x0c])],
  ['tabs', 'escpos', endless('\t')],
  ['positions of Star', 'star', endless([0x1b, 0x1d, 0x41, 1, 1], 'A')],
  ['alignments', 'opos', endless('\x1b|rAx')],
  ['elements', 'epos', Buffer.from(`<epos-print>${'<text x="1">A</text>'.repeat(50_000)}</epos-print>`)],
  ['tabs in text', 'text', endless('\t')],
])('two megabytes of %s are read or refused quickly', async (_, type, data) => {
  const startedAtMs = cpuTimeMs();
  try {
    await decodeLines({ type } as MappingDecode, data);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    expect(error.reason).toBe('too_large');
  }
  expect(cpuTimeMs() - startedAtMs).toBeLessThan(hostileBoundMs);
});
