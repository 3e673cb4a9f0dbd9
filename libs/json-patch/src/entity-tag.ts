import { preconditionFailed, ServiceError } from '@receipts/kernel';

/** The entity tag of a thing's version, RFC 9110 section 8.8.3. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * @param ifMatch the header as it was sent: `*`, or entity tags with commas between. Weak tags never match (RFC 9110
 * section 13.1.1).
 * @throws ServiceError 412 `precondition_failed` when this is not the version that the caller means
 */
export function checkIfMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(entityTag(version))) throw new ServiceError(preconditionFailed);
}
