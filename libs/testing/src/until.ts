const pollMs = 20;

/** A bound says "not for ever", and nothing about speed: a busy machine may be twenty times slower than a quiet one. */
const waitMs = 60_000;

/**
 * Waits until a condition gives something, and gives it.
 * @throws Error that names what was waited for when the bound (milliseconds) passes first.
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
