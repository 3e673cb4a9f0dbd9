export const giftNotFound = {
  status: 404,
  code: 'gift_not_found',
  description: 'gift receipt not found',
};
/** Does not say which of the three happened, because anyone may hold the link. */
export const giftEnded = {
  status: 410,
  code: 'gift_ended',
  description: 'the gift receipt is no longer valid, because its receipt was voided, deleted or erased',
};
