import { previewOf } from './preview-of';

test.each([
  ['text', Buffer.from('SLIP 1\r\nTOTAL 12.50\n'), 'SLIP 1\nTOTAL 12.50'],
  ['printer commands', Buffer.from('\u001b@\u001ba\u0001SHOP\n\u001dV'), '@ a SHOP\n V'],
  ['lines that end with a command', Buffer.from('\u001ba\u0001\nSHOP\u0000\n\tTOTAL'), 'a \nSHOP \n\tTOTAL'],
  ['data in ISO 8859-1', Buffer.from('Caf\u00e9 cr\u00e8me', 'latin1'), 'Caf\u00e9 cr\u00e8me'],
  ['data in UTF-8', Buffer.from('Caf\u00e9 \u20ac'), 'Caf\u00e9 \u20ac'],
  ['nothing', Buffer.alloc(0), ''],
])('shows %s', (_, bytes, text) => expect(previewOf(bytes)).toBe(text));

test('shows only the beginning of long data, also if a character is cut in two', () => {
  expect(previewOf(Buffer.from('x'.repeat(10_000)))).toBe('x'.repeat(2_000));
  const cut = previewOf(Buffer.from(`x${'\u20ac'.repeat(10_000)}`));
  expect(cut).toBe(`x${'\u20ac'.repeat(1_999)}`);
});
