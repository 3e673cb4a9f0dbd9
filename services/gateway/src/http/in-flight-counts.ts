/** Counts work in progress, in total and by key. Keys with a count of 0 take no memory. */
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

  add(key: string): void {
    this.byKey.set(key, this.of(key) + 1);
    this.count++;
  }

  remove(key: string): void {
    const left = this.of(key) - 1;
    if (left > 0) this.byKey.set(key, left);
    else this.byKey.delete(key);
    this.count--;
  }
}
