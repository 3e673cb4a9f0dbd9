/**
 * The addresses in a URL that may list several hosts, as MongoDB's do: `amqp://user:password@a:5672,b:5672/vhost`.
 * Those without a port have the protocol's default port.
 */
export function addressesIn(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = /^([^/]*\/\/(?:[^@/]*@)?)([^/?#]*)(.*)$/.exec(url) ?? [];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/**
 * The addresses of one server with several nodes, of which one is in use until it fails. Each process has them in
 * another order, so that the nodes share the load.
 */
export class Addresses {
  private readonly addresses: readonly string[];
  private index = 0;

  /** @param url may list several hosts; see `addressesIn` */
  constructor(url: string) {
    const order = addressesIn(url).map((address) => ({ address, rank: Math.random() }));
    this.addresses = order.sort((a, b) => a.rank - b.rank).map(({ address }) => address);
  }

  get count(): number {
    return this.addresses.length;
  }

  get current(): string {
    return this.addresses[this.index] as string;
  }

  /** Moves on from the current address, which has failed. */
  next(): void {
    this.index = (this.index + 1) % this.count;
  }

  /**
   * Tries the addresses, beginning with the current one, until the work succeeds.
   * @throws the error of the last address
   */
  async tryEach<T>(work: (address: string) => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      try {
        return await work(this.current);
      } catch (error) {
        this.next();
        if (tried >= this.count) throw error;
      }
    }
  }
}
