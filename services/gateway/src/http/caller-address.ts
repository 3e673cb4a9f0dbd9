import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IPv6 address in brackets, or an IPv4 address, followed by the port of the connection, which some proxies add. */
const withPort = /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[\d.]+))(?::\d{1,5})?$/;

/** The address in an entry of `X-Forwarded-For`; undefined if it has none, such as `unknown`. */
function addressIn(entry: string): string | undefined {
  const { v6, v4 } = withPort.exec(entry)?.groups ?? {};
  const address = v6 ?? v4 ?? entry;
  return isIP(address) === 0 ? undefined : address;
}

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
  return addressIn(entries.at(-trustedProxies) ?? '') ?? seen;
}

/** A subscriber of IPv6 usually has at least a /64, and can use any of its addresses. */
const subscriberBits = 64;

/**
 * The network that counts as one caller: an IPv4 address, also one that is written as IPv6 (`::ffff:192.0.2.7`), or the
 * /64 of an IPv6 address.
 */
export function networkOf(address: string): string {
  // The socket of a caller that has disconnected has no address.
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, subscriberBits / 16), 0, 0, 0, 0]);
  return `${network.toString()}/${subscriberBits}`;
}
