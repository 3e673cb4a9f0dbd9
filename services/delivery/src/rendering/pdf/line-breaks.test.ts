import fc from 'fast-check';
import { linesOf } from './line-breaks';

/** Letters have width 1, `i` 0.5 and `W` 2; marks have width 0. */
const widthOf = (text: string) =>
  [...text].reduce((sum, character) => sum + ({ i: 0.5, W: 2, '\u0301': 0 }[character] ?? 1), 0);
const broken = (text: string, width: number) => [...linesOf(text, (line) => widthOf(line) <= width)];

it('breaks between words', () => {
  expect(broken('a red cotton shirt', 10)).toEqual(['a red', 'cotton', 'shirt']);
  expect(broken('a red cotton shirt', 12)).toEqual(['a red cotton', 'shirt']);
  expect(broken('shirt', 5)).toEqual(['shirt']);
  expect(broken('', 5)).toEqual(['']);
});

it('breaks a word that is wider than a line, and continues with the next words on its last line', () => {
  expect(broken('my WWWWWiiii at it', 6)).toEqual(['my', 'WWW', 'WWiiii', 'at it']);
  expect(broken('abcdefgh i', 5)).toEqual(['abcde', 'fgh i']);
});

it('keeps combining marks with their letters, and puts at least one letter on a line', () => {
  expect(broken('e\u0301e\u0301e\u0301', 2)).toEqual(['e\u0301e\u0301', 'e\u0301']);
  expect(broken('WiW', 1)).toEqual(['W', 'i', 'W']);
  expect(broken('ab c', -1)).toEqual(['a', 'b', 'c']);
});

it('breaks before the first character or word that does not fit, and loses nothing', () => {
  const text = fc.array(fc.constantFrom('a', 'i', 'W', ' '), { maxLength: 400 }).map((all) => all.join(''));
  const property = fc.property(text, fc.integer({ min: 2, max: 60 }), (some, width) => {
    const lines = broken(some, width);
    expect(lines.join('').replaceAll(' ', '')).toBe(some.replaceAll(' ', ''));
    lines.forEach((line, at) => {
      expect(widthOf(line)).toBeLessThanOrEqual(width);
      const next = lines[at + 1];
      if (next === undefined) return;
      const [word = ''] = next.split(' ');
      const [first = ''] = word;
      // Either a word was split, or there is a space between the lines.
      const isFull = widthOf(line + first) > width || widthOf(`${line} ${word}`) > width;
      expect(isFull).toBe(true);
    });
  });
  fc.assert(property, { seed: 7 });
});

it('measures a text only a few times', () => {
  let measured = 0;
  const fits = (line: string) => {
    measured += line.length;
    return widthOf(line) <= 60;
  };
  const text = 'abcdefghij'.repeat(50);
  expect([...linesOf(text, fits)]).toHaveLength(8);
  expect(measured).toBeLessThan(10 * text.length);
});
