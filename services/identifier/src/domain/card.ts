import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Verifies the check digit of ISO/IEC 7812-1, annex B: every second digit from the right counts double.
 * @returns false unless the text consists of at least two digits
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

/** A placeholder with the length of a real hash. */
const noHash = '='.repeat(44);

/**
 * The hashes of registration codes. Codes are short and an import has a hundred thousand of them, so a slow hash would
 * not protect them against an attacker who has the database. A keyed hash protects them, because the key is not in the
 * database.
 */
export class CodeHashes {
  private readonly keys: readonly Buffer[];

  /** @param secrets the current secret first, then previous secrets */
  constructor(secrets: readonly [string, ...string[]]) {
    this.keys = secrets.map((secret) =>
      createHmac('sha256', secret).update('registration codes of cards').digest(),
    );
  }

  of(retailer: string, cardNumber: string, code: string): string {
    return this.all(retailer, cardNumber, code)[0] ?? '';
  }

  /**
   * True if a code belongs to a card. The time taken does not depend on whether the card exists or where the
   * hashes differ.
   * @param kept the stored hash; undefined for an unknown card
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
