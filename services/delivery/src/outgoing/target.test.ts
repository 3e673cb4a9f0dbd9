import { addressGuard } from './address-guard';
import { faultOfTarget } from './target';

const strict = { allowHttp: false, guard: addressGuard([]) };
const local = { allowHttp: true, guard: addressGuard(['127.0.0.0/8', '::1']) };
const privately = 'must not point to a private address';
const ports = 'must use port 80 or 443, or a port from 1024';

it.each([
  ['http://shop.example/hook', 'must be an https address'],
  ['https://127.0.0.1/', privately],
  ['https://2130706433/', privately],
  ['https://0177.0.0.1/', privately],
  ['https://0x7f.1/', privately],
  ['https://[::1]/', privately],
  ['https://[::ffff:127.0.0.1]/', privately],
  ['https://[64:ff9b::7f00:1]/', privately],
  ['https://169.254.169.254/latest/meta-data', privately],
  ['https://localhost/', privately],
  ['https://a.localhost./', privately],
  ['https://metadata.google.internal/', privately],
  ['https://shop.example/hook', undefined],
  ['https://8.8.8.8:8443/', undefined],
  ['https://shop.example:25/', ports],
  ['https://8.8.8.8:22/', ports],
  ['https://shop.example:80/', undefined],
  ['https://shop.example:1023/', ports],
  ['https://shop.example:1024/', undefined],
])('%s', (url, expected) => {
  expect(faultOfTarget(url, strict)).toBe(expected);
});

it('may also be an http or loopback address on the local platform', () => {
  for (const url of [
    'http://localhost:9000/',
    'http://127.0.0.1:9000/',
    'http://[::1]:9000/',
    'http://127.0.0.1:9/',
  ]) {
    expect(faultOfTarget(url, local)).toBeUndefined();
  }
  expect(faultOfTarget('http://shop.example:9/', local)).toBe(ports);
  expect(faultOfTarget('http://metadata.google.internal/', local)).toBe(privately);
  expect(faultOfTarget('http://10.0.0.1/', local)).toBe(privately);
});

it('may have an inner name if any private network is allowed', () => {
  const cluster = { allowHttp: true, guard: addressGuard(['10.0.0.0/8']) };
  for (const url of ['http://shop.prod.svc.cluster.local/', 'http://receiver:8080/', 'http://a.internal/']) {
    expect(faultOfTarget(url, cluster)).toBeUndefined();
  }
  expect(faultOfTarget('http://127.0.0.1/', cluster)).toBe(privately);
});
