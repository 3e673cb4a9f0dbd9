/** Merges concurrent requests for the same key: they share one result. */
export class SingleFlight<T> {
  private readonly running = new Map<string, Promise<T>>();

  /**
   * @param timeLimit in epoch milliseconds; if the shared request fails, a caller with time left shares a second one: the first may have failed
   *   because its caller had less time
   */
  run(
    key: string,
    request: () => Promise<T>,
    timeLimit: { readonly deadline: number } = { deadline: 0 },
  ): Promise<T> {
    const running = this.running.get(key);
    if (!running) return this.start(key, request);
    return running.catch((error: unknown) => {
      if (Date.now() >= timeLimit.deadline) throw error;
      return this.running.get(key) ?? this.start(key, request);
    });
  }

  private start(key: string, request: () => Promise<T>): Promise<T> {
    const started = request().finally(() => this.running.delete(key));
    this.running.set(key, started);
    return started;
  }
}
