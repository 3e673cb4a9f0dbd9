const pollMs = 20;

/**
 * A limit that prevents endless waiting, not a performance requirement: a busy machine may be twenty times slower than
 * an idle one.
 */
const waitMs = 120_000;

/**
 * Waits until a condition returns a value, and returns that value.
 * @throws Error with the name of the condition if the limit (in milliseconds) is exceeded.
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  boundMs = waitMs,
): Promise<T> {
  const deadline = Date.now() + boundMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${boundMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
