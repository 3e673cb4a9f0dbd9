import { decodeUtf8 } from './utf8';

const decoder = new TextDecoder('utf-8', { fatal: true });
const long = 70_000;

it.each([
  ['letters', 'receipt '],
  ['Latin', 'Café crème '],
  ['Chinese', '漢字の長い商品名'],
  ['surrogate pairs', '🧾 x'],
  ['NUL', 'a\0b'],
])('decodes short and long texts of %s', (_name, text) => {
  for (const whole of [text, text.repeat(long)]) {
    const bytes = Buffer.from(whole);
    expect(decodeUtf8(bytes) === whole).toBe(true);
    // A view that does not start at the beginning of its memory.
    const within = Buffer.concat([Buffer.from('xyz'), bytes]).subarray(3);
    expect(decodeUtf8(within) === whole).toBe(true);
  }
});

it.each([1, long])(
  'removes a byte order mark only at the beginning of a text, with %d letters at its end',
  (times) => {
    const bytes = Buffer.from(`\uFEFFa\uFEFF${'é'.repeat(times)}`);
    expect(decodeUtf8(bytes) === decoder.decode(bytes)).toBe(true);
  },
);

it.each([
  ['a lone continuation byte', [0x80]],
  ['an unfinished character', [0xe6, 0xbc]],
  ['an overlong form', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a number beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
])('rejects %s', (_name, wrong) => {
  for (const length of [0, long]) {
    const bytes = Buffer.concat([Buffer.alloc(length, 'é'), Buffer.from(wrong)]);
    expect(() => decodeUtf8(bytes)).toThrow(/not valid/);
  }
});
