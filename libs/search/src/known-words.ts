/**
 * A bounded cache of frequent words. Words that were neither added nor queried during a whole generation are dropped,
 * so that words that occur once, such as transaction numbers, do not displace the others.
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
