/** One generation of words, by retailer. */
class Generation {
  count = 0;
  private readonly byRetailer = new Map<string, Set<string>>();

  has(retailer: string, word: string): boolean {
    return this.byRetailer.get(retailer)?.has(word) === true;
  }

  delete(retailer: string, word: string): void {
    if (this.byRetailer.get(retailer)?.delete(word) === true) this.count--;
  }

  add(retailer: string, word: string): void {
    let words = this.byRetailer.get(retailer);
    if (!words) this.byRetailer.set(retailer, (words = new Set()));
    this.count -= words.size;
    this.count += words.add(word).size;
  }
}

const keptMsMax = 60 * 60_000;

/**
 * A bounded cache of frequent words. Words that were neither added nor queried during a whole generation are dropped,
 * so that words that occur once, such as transaction numbers, do not displace the others. All are dropped after a while,
 * because another process may have removed a word from the vocabulary.
 */
export class KnownWords {
  private young = new Generation();
  private old = new Generation();

  private emptiedAtMs: number;

  constructor(
    private readonly generationMax: number,
    private readonly clockMs: () => number = () => performance.now(),
  ) {
    this.emptiedAtMs = clockMs();
  }

  has(retailer: string, word: string): boolean {
    if (this.clockMs() - this.emptiedAtMs > keptMsMax) this.empty();
    if (this.young.has(retailer, word)) return true;
    if (!this.old.has(retailer, word)) return false;
    this.add(retailer, word);
    return true;
  }

  delete(retailer: string, word: string): void {
    this.young.delete(retailer, word);
    this.old.delete(retailer, word);
  }

  private empty(): void {
    this.young = new Generation();
    this.old = new Generation();
    this.emptiedAtMs = this.clockMs();
  }

  add(retailer: string, word: string): void {
    if (this.young.count >= this.generationMax) {
      this.old = this.young;
      this.young = new Generation();
    }
    this.young.add(retailer, word);
  }
}
