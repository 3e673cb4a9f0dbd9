/**
 * Lets work that shares a key run one after the other, so that what one has written is there when the next one counts.
 * It holds for one process; another copy of the service may let a neighbour through.
 */
export class OneAtATime {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Keys are taken in one order, so that two never wait for each other. */
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
