import type { IncomingMessage } from 'node:http';

/**
 * The address that a request came from.
 * @param trustedProxies the number of proxies in front of the gateway, each of which appends the address of its client to
 * `X-Forwarded-For`. Entries before theirs were written by the caller and are not trusted.
 */
export function callerAddress(req: IncomingMessage, trustedProxies: number): string {
  const seen = req.socket.remoteAddress ?? '';
  if (trustedProxies === 0) return seen;
  const given = req.headers['x-forwarded-for'];
  const entries = (typeof given === 'string' ? given : '').split(',').map((entry) => entry.trim());
  return entries.at(-trustedProxies) || seen;
}
