/** Counts what is in progress, in total and for each holder. A count of 0 takes no memory. */
export class Places {
  private readonly held = new Map<string, number>();
  private count = 0;

  get total(): number {
    return this.count;
  }

  get holders(): number {
    return this.held.size;
  }

  of(holder: string): number {
    return this.held.get(holder) ?? 0;
  }

  take(holder: string): void {
    this.held.set(holder, this.of(holder) + 1);
    this.count++;
  }

  free(holder: string): void {
    const left = this.of(holder) - 1;
    if (left > 0) this.held.set(holder, left);
    else this.held.delete(holder);
    this.count--;
  }
}
