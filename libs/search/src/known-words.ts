/** One generation of words, by retailer. */
class Generation {
  count = 0;
  private readonly byRetailer = new Map<string, Set<string>>();

  has(retailer: string, word: string): boolean {
    return this.byRetailer.get(retailer)?.has(word) === true;
  }

  add(retailer: string, word: string): void {
    let words = this.byRetailer.get(retailer);
    if (!words) this.byRetailer.set(retailer, (words = new Set()));
    this.count -= words.size;
    this.count += words.add(word).size;
  }
}

/**
 * A bounded cache of frequent words. Words that were neither added nor queried during a whole generation are dropped,
 * so that words that occur once, such as transaction numbers, do not displace the others.
 */
export class KnownWords {
  private young = new Generation();
  private old = new Generation();

  constructor(private readonly generationMax: number) {}

  has(retailer: string, word: string): boolean {
    if (this.young.has(retailer, word)) return true;
    if (!this.old.has(retailer, word)) return false;
    this.add(retailer, word);
    return true;
  }

  add(retailer: string, word: string): void {
    if (this.young.count >= this.generationMax) {
      this.old = this.young;
      this.young = new Generation();
    }
    this.young.add(retailer, word);
  }
}
