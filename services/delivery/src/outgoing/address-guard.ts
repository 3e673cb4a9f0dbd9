import { BlockList, isIP } from 'node:net';

/** Decides which addresses webhooks may be posted to. */
export interface AddressGuard {
  /** @param address IPv4 or IPv6, without brackets. Anything else is rejected. */
  isAllowed(address: string): boolean;
  /** Whether any private network is allowed as an exception. */
  readonly allowsPrivate: boolean;
}

/**
 * IANA's special-purpose registries: this network, private, shared (also metadata services), loopback, link-local (also
 * metadata services), protocol assignments, documentation, benchmarks, multicast, reserved.
 */
const refusedV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Only 2000::/3 is global unicast. These are the parts of it that are not, or that map to IPv4 addresses (6to4,
 * Teredo). Everything else, such as ::1, fc00::/7, fe80::/10, ::ffff:0:0/96 and 64:ff9b::/96, is outside of it.
 */
const refusedV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const mappedPattern = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

function listOf(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

/** Parses `127.0.0.0/8`, `::1/128`, or a single address. */
function allowedList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const version = isIP(address);
    if (version === 0) throw new Error(`${network} is not a network`);
    const prefix = bits === undefined ? (version === 4 ? 32 : 128) : Number(bits);
    list.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** An IPv4-mapped IPv6 address is checked as IPv4: `::ffff:7f00:1` is 127.0.0.1. */
function unmapped(address: string): string {
  const canonical = isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
  const dotted = mappedPattern.exec(canonical)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(canonical);
  if (!hex) return canonical;
  const value = (Number.parseInt(hex[1] ?? '', 16) << 16) | Number.parseInt(hex[2] ?? '', 16);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}

/** @param allowed private networks that are allowed as an exception, such as `127.0.0.0/8` on a developer's machine */
export function addressGuard(allowed: readonly string[]): AddressGuard {
  const exceptions = allowedList(allowed);
  const v4 = listOf(refusedV4, 'ipv4');
  const v6 = listOf(refusedV6, 'ipv6');
  const global = listOf([['2000::', 3]], 'ipv6');
  return {
    allowsPrivate: allowed.length > 0,
    isAllowed(text) {
      // A zone (`fe80::1%eth0`) refers to an interface of this machine.
      if (isIP(text) === 0 || text.includes('%')) return false;
      const address = unmapped(text);
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      if (exceptions.check(address, family)) return true;
      if (family === 'ipv4') return !v4.check(address, family);
      return global.check(address, family) && !v6.check(address, family);
    },
  };
}
