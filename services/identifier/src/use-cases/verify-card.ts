import {
  invalidCardNumber,
  invalidRegistrationCode,
  retailerHasNoCards,
  type cardContracts,
} from '@receipts/contracts';
import { ServiceError, type Call, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { isLuhnNumber } from '../domain/card';
import type { Dependencies } from './dependencies';

/** All users of an app share its credential, so the consumer in their signature is added to distinguish them. */
const callerOf = ({ principal, consumers = [] }: Call): string => [principal.id, ...consumers].join(',');

/** Checks whether a registration code belongs to a card. */
export function verifyCard(deps: Dependencies): Handler<(typeof cardContracts)['verifyCard']> {
  return async ({ body: { card_number, registration_code } }, call) => {
    const { retailer } = call;
    const { cards } = (await deps.retailers.need(retailer, call)).settings;
    if (!cards.enabled) throw new ServiceError(retailerHasNoCards);
    if (cards.check === 'luhn' && !isLuhnNumber(card_number)) throw new ServiceError(invalidCardNumber);
    const signal = deadlineSignal(call);
    const removeAttempt = await deps.attempts.begin(
      retailer,
      card_number,
      callerOf(call),
      deps.now(),
      signal,
    );
    const kept = await deps.cards.codeOf(retailer, card_number, signal);
    if (!deps.hashes.isCodeOf(retailer, card_number, registration_code, kept)) {
      throw new ServiceError(invalidRegistrationCode);
    }
    await removeAttempt();
    return {};
  };
}
