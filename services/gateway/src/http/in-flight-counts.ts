/** Counts work in progress, or its bytes, in total and by key. Keys without work in progress take no memory. */
export class InFlightCounts {
  private readonly byKey = new Map<string, number>();
  private count = 0;

  get total(): number {
    return this.count;
  }

  /** The number of keys with work in progress. */
  get keys(): number {
    return this.byKey.size;
  }

  of(key: string): number {
    return this.byKey.get(key) ?? 0;
  }

  add(key: string, amount = 1): void {
    this.byKey.set(key, this.of(key) + amount);
    this.count += amount;
  }

  remove(key: string, amount = 1): void {
    const left = this.of(key) - amount;
    if (left > 0) this.byKey.set(key, left);
    else this.byKey.delete(key);
    this.count -= amount;
  }
}
