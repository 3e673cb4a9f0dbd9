import { retailerNotFound, type cardContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { readImportedCards } from '../domain/imported-cards';
import type { Parts } from './parts';

/** Imports a retailer's cards, for the operator. */
export function importCards(parts: Parts): Handler<(typeof cardContracts)['importCards']> {
  return async ({ params: { id }, body, contentType }, call) => {
    if (!(await parts.retailers.find(id, call))) throw new ServiceError(retailerNotFound);
    return { body: await parts.cards.save(id, await readImportedCards(body, contentType)) };
  };
}
