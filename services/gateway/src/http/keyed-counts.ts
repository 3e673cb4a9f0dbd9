/** Amounts by key, such as open requests or their bytes, and in total. Keys whose amount is 0 take no memory. */
export class KeyedCounts {
  private readonly byKey = new Map<string, number>();
  private count = 0;

  get total(): number {
    return this.count;
  }

  /** The number of keys whose amount is not 0. */
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
