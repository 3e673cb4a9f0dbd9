import http from 'node:http';
import type { Platform } from '@receipts/local';
import { listen, until } from '@receipts/testing';
import { request } from '../harness/http';
import { aReceipt } from '../harness/receipts';
import { percentile } from '../harness/statistics';
import { memoryOf } from './measure';
import { platformSubject } from './subjects';

export interface WebhookBenchOptions {
  readonly endpoints: number;
  /** The number of endpoints that never respond in the parts of the run in which some hang. */
  readonly hanging: number;
  /**
   * The number of receipts in each part. The next part starts when every working endpoint has received the events
   * of the previous part.
   */
  readonly receipts: number;
}

const creatorsAtOnce = 8;
const arrivalBoundMs = 120_000;

interface Part {
  readonly waits: readonly number[];
  readonly seconds: number;
  readonly deliveryMb: number;
  readonly openRequestsMax: number;
}

/**
 * Measures the same endpoints in four parts after a warm-up: all work, some hang, some hang, all work. The order
 * prevents caches from favouring one of the two cases. The effect on the endpoints that always work is measured as the
 * time from the response to the till until the event arrives.
 */
export class WebhookBench {
  private readonly server = http.createServer((incoming, outgoing) => this.receive(incoming, outgoing));
  private hanging = 0;
  private openRequests = 0;
  private openRequestsMax = 0;
  /** The arrival time of the current receipt's event at each endpoint. */
  private arrivals = new Map<number, number>();

  constructor(
    private readonly platform: Platform,
    private readonly token: string,
    private readonly options: WebhookBenchOptions,
  ) {}

  async run(): Promise<void> {
    const port = await listen(this.server);
    try {
      const { endpoints, hanging, receipts } = this.options;
      await this.createEndpoints(port);
      await this.part(0);
      console.log(`${endpoints} endpoints, ${receipts} receipts in each part`);
      for (const hang of [0, hanging, hanging, 0]) {
        show(hang === 0 ? 'all of them work' : `${hang} of them hang`, await this.part(hang));
      }
    } finally {
      this.server.closeAllConnections();
      this.server.close();
    }
  }

  private receive(incoming: http.IncomingMessage, outgoing: http.ServerResponse): void {
    const at = performance.now();
    const endpoint = Number(incoming.url?.slice(1));
    this.openRequests += 1;
    this.openRequestsMax = Math.max(this.openRequestsMax, this.openRequests);
    outgoing.once('close', () => (this.openRequests -= 1));
    incoming.resume();
    if (endpoint < this.hanging) return;
    if (endpoint >= this.options.hanging) this.arrivals.set(endpoint, at);
    outgoing.writeHead(204).end();
  }

  private async createEndpoints(port: number): Promise<void> {
    let next = 0;
    const create = async () => {
      while (next < this.options.endpoints) {
        const url = `http://127.0.0.1:${port}/${next++}`;
        await this.post('/webhooks/endpoints', { url, event_types: ['receipt.created'] });
      }
    };
    await Promise.all(Array.from({ length: creatorsAtOnce }, create));
  }

  private async part(hanging: number): Promise<Part> {
    this.hanging = hanging;
    const waits: number[] = [];
    const began = performance.now();
    this.openRequestsMax = 0;
    const working = this.options.endpoints - this.options.hanging;
    for (let n = 0; n < this.options.receipts; n++) {
      this.arrivals = new Map();
      await this.post('/receipts', aReceipt());
      const answered = performance.now();
      await until(
        'the event has reached all working endpoints',
        () => this.arrivals.size >= working,
        arrivalBoundMs,
      );
      waits.push(...[...this.arrivals.values()].map((at) => Math.max(0, at - answered)));
    }
    const watched = platformSubject(this.platform).watched();
    return {
      waits,
      seconds: (performance.now() - began) / 1000,
      deliveryMb: memoryOf(watched.filter(({ name }) => name.startsWith('delivery'))).get('delivery') ?? 0,
      openRequestsMax: this.openRequestsMax,
    };
  }

  private async post(path: string, body: unknown): Promise<void> {
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await request(this.platform.baseUrl, path, { headers, body });
    if (answer.status !== 201)
      throw new Error(`${path} was rejected: ${answer.status} ${String(answer.bytes)}`);
  }
}

function show(name: string, { waits, seconds, deliveryMb, openRequestsMax }: Part): void {
  const shown = [0.5, 0.99, 1].map((share) => (percentile(waits, share) / 1000).toFixed(2)).join(' / ');
  const rate = (waits.length / seconds).toFixed(0);
  console.log(
    `${name}: ${shown} s until a working endpoint has received the event (p50 / p99 / longest of ${waits.length}), ${rate} per second, ${openRequestsMax} connections at once, delivery ${deliveryMb} MB`,
  );
}
