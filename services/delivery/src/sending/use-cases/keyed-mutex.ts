/**
 * Runs work that shares a key sequentially, so that each piece sees the writes of the previous piece. The mutex applies
 * to one process, so limits may be exceeded slightly if other processes of the service work at the same time. async-mutex
 * has no keyed mutex.
 */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Keys are locked in a fixed order to avoid deadlocks. */
  async run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const inOrder = [...new Set(keys)].sort();
    return inOrder.reduceRight<() => Promise<T>>((inner, key) => () => this.after(key, inner), work)();
  }

  private async after<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }
}
