import type { Platform } from '@receipts/local';
import { request } from '../harness/http';

const importTimeoutMs = 120_000;
const secondsBefore = 5;
const cardDigits = 16;
/** The concurrent requests of other clients. The service that imports the cards handles all of them. */
const others = ['/identifiers?count=1', '/identifiers/nobody%40bench.example'];

interface Waits {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

function waitsOf(times: readonly number[]): Waits {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { requests: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** A unique card number with a valid Luhn check digit. */
function cardNumber(n: number): string {
  const digits = `4${String(n).padStart(cardDigits - 2, '0')}`;
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const doubled = Number(digit) * (i % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/**
 * Measures an import of many cards in a single request, and the response times of other requests before and during the
 * import.
 */
export class CardsBench {
  constructor(
    private readonly platform: Platform,
    private readonly token: string,
    private readonly count: number,
  ) {}

  async run(): Promise<void> {
    const before = await this.waitsUntil(new Promise((resolve) => setTimeout(resolve, secondsBefore * 1000)));
    const began = performance.now();
    const importing = this.import();
    const during = await this.waitsUntil(importing);
    const seconds = (performance.now() - began) / 1000;
    const { imported } = await importing;
    console.log(`${imported} cards in one request: ${seconds.toFixed(1)} s`);
    for (const [name, waits] of [['before', before] as const, ['while it runs', during] as const]) {
      const { requests, p50, p99, max } = waits;
      const shown = [p50, p99, max].map((ms) => ms.toFixed(1)).join(' / ');
      console.log(`others wait ${name}: ${shown} ms (p50 / p99 / longest of ${requests})`);
    }
  }

  private async import(): Promise<{ imported: number }> {
    const cards = Array.from({ length: this.count }, (_, n) => ({
      card_number: cardNumber(n),
      registration_code: String(100_000 + (n % 900_000)),
    }));
    const { baseUrl, credentials } = this.platform;
    // Not with the shared agent, whose timeout is shorter.
    const response = await fetch(`${baseUrl}/operator/retailers/demo/cards`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${credentials.operator.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(cards),
      signal: AbortSignal.timeout(importTimeoutMs),
    });
    if (!response.ok) throw new Error(`the import was refused: ${await response.text()}`);
    return (await response.json()) as { imported: number };
  }

  /** Sends one request after another until the promise is settled. */
  private async waitsUntil(end: Promise<unknown>): Promise<Waits> {
    let isOver = false;
    const over = end.finally(() => (isOver = true));
    over.catch(() => undefined);
    const times: number[] = [];
    for (let n = 0; !isOver; n++) {
      const began = performance.now();
      const answer = await request(this.platform.baseUrl, others[n % others.length] ?? '', {
        headers: { authorization: `Bearer ${this.token}` },
      });
      times.push(performance.now() - began);
      if (answer.status >= 500) throw new Error(`others were refused: ${answer.status}`);
      // Lets the loop notice that the import has finished.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return waitsOf(times);
  }
}
