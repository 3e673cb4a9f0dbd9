import { parseCookie } from 'cookie';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export interface CookieFacts {
  readonly name: string;
  /** `Lax` cookies are sent when a user follows a link in an e-mail; `Strict` ones are not. */
  readonly sameSite: 'Lax' | 'Strict';
  readonly ageSeconds: number;
}

/**
 * A cookie that scripts cannot read and that forms on other sites do not send. With HTTPS, and on loopback addresses,
 * which browsers treat as secure, it has the prefix `__Host-`, so that no other host and no unencrypted connection can
 * set it. Elsewhere browsers would reject such a cookie.
 */
export function sessionCookie(publicUrl: string, facts: CookieFacts) {
  const { protocol, hostname } = new URL(publicUrl);
  const isTrusted = protocol === 'https:' || loopback.test(hostname);
  const name = isTrusted ? `__Host-${facts.name}` : facts.name;
  const attributes = `Path=/; HttpOnly; SameSite=${facts.sameSite}${isTrusted ? '; Secure' : ''}`;
  return {
    set: (token: string) => `${name}=${token}; ${attributes}; Max-Age=${facts.ageSeconds}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
    /** The token in a request's Cookie header. */
    read: (header = '') => parseCookie(header)[name],
  };
}
