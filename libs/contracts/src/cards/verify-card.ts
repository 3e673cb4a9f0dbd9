import { defineCommand, idempotencyMismatch, json } from '@receipts/kernel';
import { cardWithCode } from './import-cards';

export const invalidCardNumber = {
  status: 400,
  code: 'invalid_card_number',
  description: 'invalid card number',
};
export const invalidRegistrationCode = {
  status: 400,
  code: 'invalid_registration_code',
  description: 'invalid registration code',
};
export const retailerHasNoCards = {
  status: 400,
  code: 'retailer_has_no_cards',
  description: 'retailer has no cards',
};
/** Codes are short, so attempts are limited to prevent guessing. */
export const tooManyCardAttempts = {
  status: 429,
  code: 'rate_limited',
  description: 'too many wrong codes',
};

/** A consumer proves possession of a card before an app shows the card's receipts. */
export const verifyCard = defineCommand({
  name: 'identifier.verify-card',
  summary: 'Verify a card against its registration code',
  description:
    'Checks that a registration code belongs to a card. An unknown card causes the same error as a wrong code. After 10 wrong codes for a card within an hour, or 100 wrong codes from a caller within ten minutes, all further attempts in that period are rejected with 429, even with the right code.',
  permission: 'view.post_card',
  forConsumers: 'unrelated',
  http: { method: 'POST', path: '/cards', success: 204 },
  body: json(cardWithCode),
  errors: [
    invalidCardNumber,
    invalidRegistrationCode,
    retailerHasNoCards,
    tooManyCardAttempts,
    idempotencyMismatch,
  ],
  examples: { request: { card_number: '4539578763621486', registration_code: '123456' } },
});
