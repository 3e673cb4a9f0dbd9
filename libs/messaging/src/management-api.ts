import { Addresses, addressesIn } from './addresses';

const requestTimeoutMs = 5_000;

/** Escapes text for the regular expressions in requests to the broker. */
export const escaped = (text: string): string => text.replaceAll('.', '\\.');

/** The virtual host in an AMQP URL. */
export function vhostOf(amqpUrl: string): string {
  return decodeURIComponent(new URL(addressesIn(amqpUrl)[0] as string).pathname.slice(1)) || '/';
}

/** The first address in a URL, without user and password. */
export function withoutCredentials(address: string): string {
  const url = new URL(addressesIn(address)[0] as string);
  url.username = '';
  url.password = '';
  return url.href;
}

/** A client of RabbitMQ's management API. */
export class ManagementApi {
  private readonly addresses: Addresses;

  /** @param url may list several nodes, as in `http://user:password@a:15672,b:15672` */
  constructor(url: string) {
    this.addresses = new Addresses(url);
  }

  /**
   * @returns false for 404
   * @throws Error that names the request, if the broker is unavailable or rejects it
   */
  async call(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    names: readonly string[],
    body?: object,
  ): Promise<boolean> {
    return (await this.request(method, names, body)) !== undefined;
  }

  /**
   * All objects of a kind, such as the queues of a virtual host.
   * @throws Error that names the request if the broker is unavailable or rejects it
   */
  async list<T extends { readonly name: string }>(...kind: readonly string[]): Promise<readonly T[]> {
    return (await this.found(kind)) as readonly T[];
  }

  /**
   * The objects of a kind whose names match a regular expression, at most 500, with the given parts.
   * @param parameters which parts to return, as the management interface names them
   * @throws as `list` does
   */
  async matching<T extends { readonly name: string }>(
    kind: readonly string[],
    pattern: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<readonly T[]> {
    const page = { name: pattern, use_regex: 'true', page: '1', page_size: '500' };
    const query = new URLSearchParams({ ...page, ...parameters }).toString();
    return ((await this.found(kind, `?${query}`)) as { readonly items: readonly T[] }).items;
  }

  /** The names of all objects of a kind. @throws as `list` does */
  async namesOf(...kind: readonly string[]): Promise<readonly string[]> {
    return (await this.list(...kind)).map(({ name }) => name);
  }

  private async found(kind: readonly string[], query = ''): Promise<unknown> {
    const text = await this.request('GET', kind, undefined, query);
    if (text === undefined) throw new Error(`the broker's management interface has no ${kind.join('/')}`);
    return JSON.parse(text);
  }

  /** The text of the response; undefined for 404. */
  private async request(
    method: string,
    names: readonly string[],
    body?: object,
    query = '',
  ): Promise<string | undefined> {
    const path = names.map(encodeURIComponent).join('/');
    // Every request is idempotent, so another node may receive it again.
    const { ok, status, text } = await this.addresses.tryEach(async (address) => {
      const { username, password } = new URL(address);
      const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      const response = await fetch(`${withoutCredentials(address).replace(/\/$/, '')}/api/${path}${query}`, {
        method,
        headers: {
          authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
          'content-type': 'application/json',
        },
        signal: AbortSignal.timeout(requestTimeoutMs),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { ok: response.ok, status: response.status, text: await response.text() };
    });
    if (ok) return text;
    if (body === undefined && status === 404) return undefined;
    throw new Error(`the broker's management interface returned ${status} for ${method} ${path}`);
  }
}
