import { ServiceError } from '@receipts/kernel';
import { checkSameSite } from './same-site';

const host = 'receipts.example';

it.each([
  {},
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { host, origin: `https://${host}` },
])('accepts %j', (headers) => expect(() => checkSameSite(headers)).not.toThrow());

it.each([
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', host, origin: `https://${host}` },
  { host, origin: 'https://evil.example' },
  { host, origin: 'null' },
])('rejects %j', (headers) => expect(() => checkSameSite(headers)).toThrow(ServiceError));
