import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The check digit of ISO/IEC 7812-1, annex B: every second digit from the right counts double.
 * @returns false for a text that is not made of at least two digits
 */
export function isLuhnNumber(text: string): boolean {
  if (!/^\d{2,}$/.test(text)) return false;
  let sum = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = Number(text[text.length - 1 - i]);
    const counted = i % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

/**
 * What is kept of a registration code. Codes are short and there are a hundred thousand of them in one import, so that no
 * slow hash would help against whoever has the database; a key that is not in the database does.
 */
export class CodeHashes {
  private readonly key: Buffer;

  constructor(secret: string) {
    this.key = createHmac('sha256', secret).update('registration codes of cards').digest();
  }

  of(retailer: string, cardNumber: string, code: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([retailer, cardNumber, code]))
      .digest('base64');
  }
}

/** Takes as long whether the card is known or not, and wherever the texts differ. */
export function isSameHash(given: string, kept: string | undefined): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(kept ?? 'x'.repeat(given.length))];
  return timingSafeEqual(one, other) && kept !== undefined;
}
