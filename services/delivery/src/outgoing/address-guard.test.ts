import { addressGuard } from './address-guard';

const guard = addressGuard([]);

it.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:a00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '2001::1',
  '',
  'localhost',
  '2130706433',
  '0177.0.0.1',
  '127.1',
  '1.2.3.4.5',
  '[::1]',
])('rejects %j', (address) => {
  expect(guard.isAllowed(address)).toBe(false);
});

it.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
  'allows %s',
  (address) => {
    expect(guard.isAllowed(address)).toBe(true);
  },
);

it('allows exactly the configured exceptions', () => {
  const local = addressGuard(['127.0.0.0/8', '::1']);
  expect(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'].every((one) => local.isAllowed(one))).toBe(
    true,
  );
  expect(['10.0.0.1', '::2', '169.254.169.254'].some((one) => local.isAllowed(one))).toBe(false);
});

it('treats an invalid network as a configuration error', () => {
  expect(() => addressGuard(['everything'])).toThrow('not a network');
});
