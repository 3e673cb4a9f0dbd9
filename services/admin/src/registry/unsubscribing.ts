import type { Sealer } from '@receipts/host';
import type { PortalUserRecord } from './domain/portal-user';

const purpose = 'unsubscribe';

type User = Pick<PortalUserRecord, 'retailer' | 'id'>;

/** What the link for stopping e-mails contains. It does not expire, because e-mails may be read years later. */
export const sealUnsubscribing = (sealer: Pick<Sealer, 'seal'>, { retailer, id }: User): string =>
  sealer.seal(JSON.stringify({ purpose, retailer, id }));

/** Undefined for a text that was not sealed here for this purpose. */
export function openUnsubscribing(sealer: Pick<Sealer, 'open'>, sealed: string): User | undefined {
  try {
    const found = JSON.parse(sealer.open(sealed)) as User & { readonly purpose?: unknown };
    return found.purpose === purpose ? found : undefined;
  } catch {
    return undefined;
  }
}
