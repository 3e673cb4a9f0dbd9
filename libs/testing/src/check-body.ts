import { check, type Contract } from '@receipts/kernel';

type Schema = Parameters<typeof check>[0];

/**
 * Validates a body as the gateway does: against the schema of its media type, without changing it.
 * @throws ServiceError the error with which the gateway rejects it
 */
export function checkBody(contract: Contract, body: unknown, contentType = 'application/json'): void {
  const declared = contract.body;
  if (declared === undefined) return;
  if (!('kind' in declared)) check(declared, body);
  else if (declared.kind === 'json' && !(declared.optional === true && body === undefined)) {
    check(declared.variants[contentType] as Schema, body, declared.refusal);
  }
}
