/**
 * Lets those who want to change the same thing go one after another within this process. Compare-and-set decides between
 * processes; inside one, a queue spares a hundred simultaneous writers ninety-nine lost races each.
 */
export class Turns {
  private readonly last = new Map<string, Promise<void>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key);
    const mine = before ? before.then(work) : work();
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === settled) this.last.delete(key);
    }
  }
}
