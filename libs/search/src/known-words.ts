/**
 * A bounded set that keeps what is asked for often: what was neither added nor asked for during a whole generation is
 * forgotten, so that words which occur once, such as numbers of transactions, do not drive out the others.
 */
export class KnownWords {
  private young = new Set<string>();
  private old = new Set<string>();

  constructor(private readonly generationMax: number) {}

  has(word: string): boolean {
    if (this.young.has(word)) return true;
    if (!this.old.has(word)) return false;
    this.add(word);
    return true;
  }

  add(word: string): void {
    if (this.young.size >= this.generationMax) {
      this.old = this.young;
      this.young = new Set();
    }
    this.young.add(word);
  }
}
