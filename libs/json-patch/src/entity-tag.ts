import { preconditionFailed, ServiceError } from '@receipts/kernel';

/** The entity tag of a version, RFC 9110 section 8.8.3. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * @param ifMatch the header as sent: `*`, or entity tags separated by commas. Weak tags never match (RFC 9110 section
 * 13.1.1).
 * @throws ServiceError 412 `precondition_failed` if no tag matches the version
 */
export function checkIfMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(entityTag(version))) throw new ServiceError(preconditionFailed);
}
