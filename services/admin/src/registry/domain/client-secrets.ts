import { randomBytes } from 'node:crypto';

/** 20 characters, the first of which is not `-`: a command line would take it for an option. */
export function newClientKey(random: (bytes: number) => Buffer = randomBytes): string {
  for (;;) {
    const key = random(15).toString('base64url');
    if (!key.startsWith('-')) return key;
  }
}

/** RFC 7518, section 3.2, requires at least 32 bytes. */
export const newClientSecret = (): string => randomBytes(32).toString('base64');
