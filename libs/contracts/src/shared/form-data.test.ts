import { formType } from '@receipts/kernel';
import { readFormData } from './form-data';

const multipart = 'multipart/form-data';
const part = (name: string, text: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
const read = async (body: string, type: string) => {
  const form = await readFormData(Buffer.from(body), type);
  return Promise.all(
    [...form].map(async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()]),
  );
};
const rejected = { code: 'malformed_body', description: 'the body is not a valid form' };

it('reads the fields of both types, and files', async () => {
  expect(await read('a=1&b=%C3%A9+x', formType)).toEqual([
    ['a', '1'],
    ['b', 'é x'],
  ]);
  expect(await read(`${part('a', 'é')}${part('f', '\r\n{}', '; filename="x"')}--b--\r\n`, multipart)).toEqual(
    [
      ['a', 'é'],
      ['f', '\r\n{}'],
    ],
  );
});

it('reads a thousand fields', async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `f${i}`);
  expect(await read(names.join('&'), formType)).toHaveLength(1_000);
  const parts = names.map((name) => part(name, ''));
  expect(await read(`${parts.join('')}--b--\r\n`, multipart)).toHaveLength(1_000);
});

it.each([
  ['more fields', formType, 'a&'.repeat(1_000)],
  ['more parts', multipart, `${part('a', '').repeat(1_001)}--b--\r\n`],
  ['empty parts', multipart, `--b${'\r\n--b'.repeat(2_000)}--\r\n`],
  ['a long head', multipart, `--b\r\n${'A: b\r\n'.repeat(2_000)}\r\n--b--\r\n`],
  ['a long head without an end', multipart, `--b\r\n${'A: b\r\n'.repeat(2_000)}`],
  ['no boundary', multipart, 'text'],
])('rejects %s before parsing it', async (_, type, body) => {
  await expect(read(body, type)).rejects.toMatchObject(rejected);
});
