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

/** As long as a hash. */
const noHash = '='.repeat(44);

/**
 * What is kept of registration codes. Codes are short and there are a hundred thousand of them in one import, so that no
 * slow hash would help against whoever has the database; a key that is not in the database does.
 */
export class CodeHashes {
  private readonly keys: readonly Buffer[];

  /** @param secrets the present one first, then those that were in use before */
  constructor(secrets: readonly [string, ...string[]]) {
    this.keys = secrets.map((secret) =>
      createHmac('sha256', secret).update('registration codes of cards').digest(),
    );
  }

  of(retailer: string, cardNumber: string, code: string): string {
    return this.all(retailer, cardNumber, code)[0] ?? '';
  }

  /**
   * True when a code belongs to a card. It takes as long whether the card is known or not, and wherever hashes differ.
   * @param kept the hash that is kept; undefined for a card that nobody knows
   */
  isCodeOf(retailer: string, cardNumber: string, code: string, kept: string | undefined): boolean {
    const hashes = this.all(retailer, cardNumber, code);
    const same = hashes.map((hash) => timingSafeEqual(Buffer.from(hash), Buffer.from(kept ?? noHash)));
    return kept !== undefined && same.includes(true);
  }

  private all(retailer: string, cardNumber: string, code: string): readonly string[] {
    const text = JSON.stringify([retailer, cardNumber, code]);
    return this.keys.map((key) => createHmac('sha256', key).update(text).digest('base64'));
  }
}
