const pollMs = 20;

/**
 * A limit that prevents endless waiting, not a performance requirement: a busy machine may be twenty times slower than
 * an idle one.
 */
const waitMs = 120_000;

/** `npm run verify -- --patience` multiplies all limits of waiting, for slow servers. */
const patience = Number(process.env['TEST_PATIENCE'] ?? 1);

/** A limit of waiting in milliseconds, longer if the servers are known to be slow. */
export const patiently = (limitMs: number): number => limitMs * patience;

/**
 * Waits until a condition returns a value, and returns that value.
 * @throws Error with the name of the condition if the limit (in milliseconds) is exceeded.
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  boundMs = waitMs,
): Promise<T> {
  const limitMs = patiently(boundMs);
  const deadline = Date.now() + limitMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
