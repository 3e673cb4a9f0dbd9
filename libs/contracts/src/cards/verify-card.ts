import { defineCommand, idempotencyMismatch, json } from '@receipts/kernel';
import { z } from 'zod';
import { keyText } from '../shared/names';

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

/** A consumer proves possession of a card, before an app shows the receipts of the card. */
export const verifyCard = defineCommand({
  name: 'identifier.verify-card',
  summary: 'Verify a card against its registration code',
  description:
    'A card that nobody knows is answered like a wrong code. After 10 wrong codes for one card in an hour, or 100 of one caller in ten ' +
    'minutes, every attempt is 429 until the time is over, the right code too.',
  permission: 'view.post_card',
  http: { method: 'POST', path: '/cards', success: 204 },
  body: json(z.strictObject({ card_number: keyText, registration_code: keyText })),
  errors: [
    invalidCardNumber,
    invalidRegistrationCode,
    retailerHasNoCards,
    tooManyCardAttempts,
    idempotencyMismatch,
  ],
  examples: { request: { card_number: '4539578763621486', registration_code: '123456' } },
});
