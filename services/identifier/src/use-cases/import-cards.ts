import { retailerNotFound, type Retailer, type cardContracts } from '@receipts/contracts';
import { ServiceError, type Handler, type RecordCache } from '@receipts/kernel';
import { readImportedCards } from '../domain/imported-cards';
import type { Cards } from '../storage/cards';

/** Imports a retailer's cards, for the operator. */
export function importCards(deps: {
  cards: Cards;
  retailers: RecordCache<Retailer>;
}): Handler<(typeof cardContracts)['importCards']> {
  return async ({ params: { id }, body, contentType }, call) => {
    if (!(await deps.retailers.known(id, call))) throw new ServiceError(retailerNotFound);
    return { body: await deps.cards.save(id, await readImportedCards(body, contentType)) };
  };
}
