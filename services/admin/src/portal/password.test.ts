import { languageIn } from '../pages/language';
import { hashPassword, isPasswordRight, passwordFault } from './password';

const english = languageIn('en');
const email = 'jo.smith@demo.example';

it.each(['correct horse battery', 'Ünïcode pässwörd', 'x8$kP2!mQ9zL', 'a'.repeat(196) + 'bcde'])(
  'accepts %s',
  async (password) => expect(await passwordFault(password, email, english)).toBeUndefined(),
);

it.each([
  ['short', 'at least 12 characters'],
  ['elevenchars', 'at least 12 characters'],
  ['abcde'.repeat(41), 'at most 200 characters'],
  ['abababababab', 'different characters'],
  ['jo.smith-2026!', 'e-mail address'],
  ['x jo.smith@demo.example', 'e-mail address'],
  ['Password1234', 'data breach'],
  ['1234Password!!', 'data breach'],
  ['baseballbaseball', 'data breach'],
  ['QWERTYUIOP[]', 'data breach'],
])('rejects %s', async (password, why) =>
  expect(await passwordFault(password, email, english)).toContain(why),
);

it('creates a different hash each time, which matches only its password', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(one).not.toBe(two);
  expect(one).toMatch(/^scrypt\$15\$8\$3\$/);
  expect(await isPasswordRight('correct horse', one)).toBe(true);
  expect(await isPasswordRight('correct horsf', one)).toBe(false);
  expect(await isPasswordRight('', null)).toBe(false);
});

it('treats equivalent Unicode spellings as one password', async () => {
  const hash = await hashPassword('pa\u0308sswo\u0308rd lang');
  expect(await isPasswordRight('pässwörd lang', hash)).toBe(true);
});
