import type { Sealer } from '@receipts/host';

interface Expiring {
  readonly expires: number;
}

/**
 * Encrypts what the next step of a sign-in needs, so that the browser can keep it and nobody can read or change it.
 */
export const sealStep = <T extends object>(
  sealer: Pick<Sealer, 'seal'>,
  purpose: string,
  facts: T,
  expires: number,
): string => sealer.seal(JSON.stringify({ ...facts, purpose, expires }));

/** Undefined for a step that has expired, has another purpose, or was not sealed here. */
export function openStep<T extends object>(
  sealer: Pick<Sealer, 'open'>,
  purpose: string,
  sealed: string,
  now: number,
): T | undefined {
  try {
    const facts = JSON.parse(sealer.open(sealed)) as T & Expiring & { readonly purpose: string };
    return facts.purpose === purpose && facts.expires > now ? facts : undefined;
  } catch {
    return undefined;
  }
}
