const pollMs = 20;

/**
 * Waits until a condition gives something, and gives it.
 * @throws Error with the last failure when the bound (milliseconds) passes first.
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  boundMs = 15_000,
): Promise<T> {
  const deadline = Date.now() + boundMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${boundMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
