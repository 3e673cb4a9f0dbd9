import { retailerNotFound, type cardContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { readImportedCards } from '../domain/imported-cards';
import type { Cards } from '../storage/cards';
import type { RetailerCopies } from '../storage/retailer-copies';

/** Imports a retailer's cards, for the operator. */
export function importCards(deps: {
  cards: Cards;
  retailers: RetailerCopies;
}): Handler<(typeof cardContracts)['importCards']> {
  return async ({ params: { id }, body, contentType }, call) => {
    if (!(await deps.retailers.known(id, call))) throw new ServiceError(retailerNotFound);
    return { body: await deps.cards.save(id, await readImportedCards(body, contentType)) };
  };
}
