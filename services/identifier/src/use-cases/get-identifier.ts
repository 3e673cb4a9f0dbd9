import type { identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { identifierOf } from '../domain/identifier';
import { findIdentifier } from './find-identifier';
import type { Dependencies } from './dependencies';

/** Returns an identifier. Credentials restricted to consumers get 404 for other consumers. */
export function getIdentifier(deps: Dependencies): Handler<(typeof identifierContracts)['getIdentifier']> {
  return async ({ params: { identifier } }, call) => {
    const { record, totals } = await findIdentifier(deps, identifier, call);
    return { body: identifierOf(record, totals), meta: { version: record.version } };
  };
}
