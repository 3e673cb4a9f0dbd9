interface Declared {
  readonly kind: string;
  readonly http?: { readonly method: string; readonly access?: string };
}

/**
 * The sorted names of the commands that callers may retry with an `Idempotency-Key`, as in the list of contracts.
 * Commands that anyone may send are forms of pages and callbacks from providers, which have no key.
 */
export function keyedCommands(contracts: Readonly<Record<string, Declared>>): string[] {
  const isKeyed = ({ kind, http }: Declared) =>
    kind === 'command' && http?.method === 'POST' && http.access !== 'public';
  return Object.keys(contracts)
    .filter((name) => isKeyed(contracts[name] as Declared))
    .sort();
}
