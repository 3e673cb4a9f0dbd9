import { retailerNotFound, type cardContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { readImportedCards } from '../domain/imported-cards';
import type { Dependencies } from './dependencies';

/** Imports a retailer's cards, for the operator. */
export function importCards(deps: Dependencies): Handler<(typeof cardContracts)['importCards']> {
  return async ({ params: { id }, body, contentType }, call) => {
    if (!(await deps.retailers.find(id, call))) throw new ServiceError(retailerNotFound);
    return { body: await deps.cards.save(id, await readImportedCards(body, contentType)) };
  };
}
