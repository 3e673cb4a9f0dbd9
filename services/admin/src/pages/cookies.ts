/** The cookie that holds a session. */
export interface SessionCookie {
  set(token: string): string;
  clear(): string;
  /** The token in a request's Cookie header. */
  read(header: string | undefined): string | undefined;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export interface CookieFacts {
  readonly name: string;
  /** `Lax` is sent along when somebody follows a link from a mail, `Strict` is not. */
  readonly sameSite: 'Lax' | 'Strict';
  readonly ageSeconds: number;
}

/**
 * A cookie that scripts cannot read and that other sites' forms do not send. Under HTTPS, and on the loopback addresses that
 * browsers trust as well, it has the prefix `__Host-`, so that no other host and no plain connection can set it. Elsewhere a
 * browser would refuse such a cookie.
 */
export function sessionCookie(publicUrl: string, facts: CookieFacts): SessionCookie {
  const { protocol, hostname } = new URL(publicUrl);
  const isTrusted = protocol === 'https:' || loopback.test(hostname);
  const name = isTrusted ? `__Host-${facts.name}` : facts.name;
  const attributes = `Path=/; HttpOnly; SameSite=${facts.sameSite}${isTrusted ? '; Secure' : ''}`;
  return {
    set: (token) => `${name}=${token}; ${attributes}; Max-Age=${facts.ageSeconds}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
    read(header = '') {
      for (const pair of header.split(';')) {
        const at = pair.indexOf('=');
        if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
      }
      return undefined;
    },
  };
}
