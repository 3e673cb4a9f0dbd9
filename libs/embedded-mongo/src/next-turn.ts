/** Resolves after all other pending work of the event loop has run. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
