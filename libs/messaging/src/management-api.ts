const requestTimeoutMs = 5_000;

/** Escapes text for the regular expressions in requests to the broker. */
export const escaped = (text: string): string => text.replaceAll('.', '\\.');

/** The virtual host in an AMQP URL. */
export function vhostOf(amqpUrl: string): string {
  return decodeURIComponent(new URL(amqpUrl).pathname.slice(1)) || '/';
}

export function withoutCredentials(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

/** A client of RabbitMQ's management API. */
export class ManagementApi {
  private readonly base: string;
  private readonly authorization: string;

  constructor(address: string) {
    const { username, password } = new URL(address);
    this.base = `${withoutCredentials(address).replace(/\/$/, '')}/api`;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
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
   * The names of all objects of a kind, such as the queues of a virtual host.
   * @throws Error that names the request if the broker is unavailable or rejects it
   */
  async namesOf(...kind: readonly string[]): Promise<readonly string[]> {
    const text = await this.request('GET', kind);
    if (text === undefined) throw new Error(`the broker's management interface has no ${kind.join('/')}`);
    return (JSON.parse(text) as readonly { readonly name: string }[]).map(({ name }) => name);
  }

  /** The text of the response; undefined for 404. */
  private async request(
    method: string,
    names: readonly string[],
    body?: object,
  ): Promise<string | undefined> {
    const path = names.map(encodeURIComponent).join('/');
    const response = await fetch(`${this.base}/${path}`, {
      method,
      headers: { authorization: this.authorization, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(requestTimeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return text;
    if (body === undefined && response.status === 404) return undefined;
    throw new Error(`the broker's management interface returned ${response.status} for ${method} ${path}`);
  }
}
