/** Merges concurrent requests for the same key: they share one result. */
export class SingleFlight<T> {
  private readonly running = new Map<string, Promise<T>>();

  run(key: string, request: () => Promise<T>): Promise<T> {
    const running = this.running.get(key);
    if (running) return running;
    const started = request().finally(() => this.running.delete(key));
    this.running.set(key, started);
    return started;
  }
}
