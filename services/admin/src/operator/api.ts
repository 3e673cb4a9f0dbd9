import { userInfo } from 'node:os';

/** An error answer of the operator's API. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    const { description, errors } = (body ?? {}) as {
      description?: string;
      errors?: readonly { path: string; message: string }[];
    };
    const faults = (errors ?? []).map(({ path, message }) => `\n  ${path} ${message}`).join('');
    super(`${status}: ${description ?? 'no explanation'}${faults}`);
  }
}

export interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  /** Sent as they are, with the media type. */
  readonly bytes?: Buffer;
  readonly contentType?: string;
}

/** Header values must be ASCII. In a container the user may have no name. */
function nameOfUser(): string {
  try {
    return userInfo().username.replace(/[^\x20-\x7e]/g, '?');
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

/** Encodes a path segment. A segment `..` would be resolved to another path. */
export const segment = (text: string) => encodeURIComponent(text).replaceAll('.', '%2E');

/** A client of the API with the operator's token. */
export class OperatorApi {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  /** @throws Refusal, or an Error when there is no answer */
  async call(path: string, { method = 'GET', body, bytes, contentType = 'application/json' }: Sent = {}) {
    const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        // The name for the audit log.
        'service-operator': nameOfUser(),
        ...(content !== undefined && { 'content-type': contentType }),
      },
      ...(content !== undefined && { body: content }),
    }).catch((cause: unknown) => {
      throw new Error(`${this.baseUrl} does not answer`, { cause });
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : parsed(text);
    if (!response.ok) throw new Refusal(response.status, answer);
    return { status: response.status, body: answer };
  }

  /** All pages of a list. */
  async all<T>(path: string, name: string): Promise<T[]> {
    const entries: T[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const { body } = (await this.call(next)) as {
        body: Record<string, T[]> & { _links: { next?: { href: string } } };
      };
      entries.push(...(body[name] ?? []));
      next = body._links.next?.href;
    }
    return entries;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { description: text.slice(0, 200) };
  }
}
