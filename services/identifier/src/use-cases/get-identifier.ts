import type { identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { identifierOf } from '../domain/identifier';
import { findIdentifier } from './find-identifier';
import type { Parts } from './parts';

/** Returns an identifier. Credentials restricted to consumers get 404 for other consumers. */
export function getIdentifier(parts: Parts): Handler<(typeof identifierContracts)['getIdentifier']> {
  return async ({ params: { identifier } }, call) => {
    const { record, totals } = await findIdentifier(parts, identifier, call);
    return { body: identifierOf(record, totals), meta: { version: record.version } };
  };
}
