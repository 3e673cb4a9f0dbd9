import type { IncomingMessage } from 'node:http';

/**
 * The address that a request came from.
 * @param trustedProxies how many proxies stand before us, each of which adds to `X-Forwarded-For` whom it saw. What stands
 * before their entries was written by the caller and proves nothing.
 */
export function callerAddress(req: IncomingMessage, trustedProxies: number): string {
  const seen = req.socket.remoteAddress ?? '';
  if (trustedProxies === 0) return seen;
  const given = req.headers['x-forwarded-for'];
  const entries = (typeof given === 'string' ? given : '').split(',').map((entry) => entry.trim());
  return entries.at(-trustedProxies) || seen;
}
