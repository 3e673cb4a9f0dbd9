import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import type { Language } from '../pages/language';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** OWASP's recommendation for scrypt with 32 MiB: N = 2^15, r = 8, p = 3. */
const cost = { log2N: 15, r: 8, p: 3 };
const saltBytes = 16;
const keyBytes = 32;
const memoryMax = 64 * 1024 * 1024;

export const passwordCharactersMin = 12;
export const passwordCharactersMax = 200;
const differentCharactersMin = 5;

let common: ReadonlySet<string> | undefined;

/**
 * About 49,000 of the most frequent passwords in breaches. They take 9 MB and are loaded when the first password is
 * chosen.
 */
async function commonPasswords(): Promise<ReadonlySet<string>> {
  if (!common) {
    const { dictionary } = await import('@zxcvbn-ts/language-common');
    common = new Set(dictionary['passwords-common']);
  }
  return common;
}

/** True for common passwords, even if they are repeated or surrounded by digits and symbols. */
async function isCommonAtHeart(password: string): Promise<boolean> {
  const passwords = await commonPasswords();
  const lower = password.normalize('NFKC').toLowerCase();
  const heart = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const half = heart.slice(0, heart.length / 2);
  return passwords.has(lower) || passwords.has(heart) || (heart === half + half && passwords.has(half));
}

/** Why a chosen password is rejected; undefined if it is accepted. */
export async function passwordFault(
  password: string,
  email: string,
  { t }: Language,
): Promise<string | undefined> {
  const characters = [...password.normalize('NFKC')];
  if (characters.length < passwordCharactersMin) return t('password.short', { count: passwordCharactersMin });
  if (characters.length > passwordCharactersMax) return t('password.long', { count: passwordCharactersMax });
  if (new Set(characters).size < differentCharactersMin)
    return t('password.varied', { count: differentCharactersMin });
  const name = email.slice(0, email.indexOf('@'));
  const lower = password.toLowerCase();
  if (lower.includes(email) || (name.length > 3 && lower.startsWith(name))) return t('password.email');
  if (await isCommonAtHeart(password)) return t('password.common');
  return undefined;
}

interface Cost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

function keyOf(password: string, salt: Buffer, { log2N, r, p }: Cost): Promise<Buffer> {
  return derive(password.normalize('NFKC'), salt, keyBytes, { N: 2 ** log2N, r, p, maxmem: memoryMax });
}

/** `scrypt$15$8$3$salt$key`. The parameters are included so that the cost can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const key = await keyOf(password, salt, cost);
  const { log2N, r, p } = cost;
  return ['scrypt', log2N, r, p, salt.toString('base64'), key.toString('base64')].join('$');
}

/** Takes the same time whether or not the user exists and has a password. */
export async function isPasswordRight(password: string, hash: string | null): Promise<boolean> {
  const [, log2N, r, p, salt = '', key = ''] = hash?.split('$') ?? [];
  const expected = hash === null ? Buffer.alloc(keyBytes) : Buffer.from(key, 'base64');
  const given =
    hash === null
      ? await keyOf(password, Buffer.alloc(saltBytes), cost)
      : await keyOf(password, Buffer.from(salt, 'base64'), {
          log2N: Number(log2N),
          r: Number(r),
          p: Number(p),
        });
  return timingSafeEqual(given, expected) && hash !== null;
}
