import { createHmac, timingSafeEqual } from 'node:crypto';
import { mustBeAtMost, ServiceError, wording } from '@receipts/kernel';
import { invalidSignature } from '../errors';
import type { QueryArguments } from '../parameters/query-string';
import { invalid } from '../parameters/parameters';
import type { Caller } from './caller';
import type { KnownCredential } from './credential';
import type { CredentialBook } from './credential-book';

/** See docs/interface.md, "Limits": a signature is valid for at most 24 hours, regardless of the client's own limit. */
const lifetimeSecondsMax = 86_400;
const keyCharactersMax = 64;
const consumersMax = 5;
const digestBytes = 32;

/**
 * Digits only. Number parsers ignore what follows the digits, so a signature with a consumer could pass as a signature
 * without one.
 */
const expiresPattern = /^[0-9]{1,12}$/;
const digestPattern = /^[A-Za-z0-9+/_-]{43}=?$/;
const lineBreak = /[\r\n]/;

function refused(why: string): ServiceError {
  return new ServiceError(invalidSignature, { description: `${invalidSignature.description}: ${why}` });
}

interface Signed {
  readonly key: string;
  readonly consumer: string | undefined;
  readonly expires: string;
  readonly digest: Buffer;
}

function oneValue(args: QueryArguments, name: string): string | undefined {
  const values = args.get(name);
  if (values && values.length > 1) throw refused(`${name} is given more than once`);
  return values?.[0];
}

/**
 * The consumer. A client may append a signature to a link that has a `consumer` already, so the same value may occur
 * twice.
 */
function consumerOf(args: QueryArguments): string | undefined {
  const [first, ...others] = args.get('consumer') ?? [];
  if (others.some((other) => other !== first)) throw refused('consumer is given more than once');
  return first;
}

/** The arguments, with the signed consumer only once; see `consumerOf`. */
export function withConsumerOnce(args: QueryArguments): QueryArguments {
  const consumers = args.get('consumer');
  if (!consumers || consumers.length < 2) return args;
  return new Map([...args, ['consumer', consumers.slice(0, 1)]]);
}

function neededValue(args: QueryArguments, name: string): string {
  const value = oneValue(args, name);
  if (value === undefined || value === '') throw refused(`${name} is missing`);
  return value;
}

/** Standard and URL-safe base64, with or without padding, but only the canonical spelling of these bytes. */
function decodeDigest(text: string): Buffer {
  // A plus sign that was not percent-encoded arrives as a space.
  const spelled = text.replaceAll(' ', '+');
  if (!digestPattern.test(spelled)) throw refused('signature must be 32 bytes in base64');
  const digest = Buffer.from(spelled, 'base64');
  const plain = spelled.replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
  if (digest.length !== digestBytes || digest.toString('base64url') !== plain) {
    throw refused('signature must be 32 bytes in base64');
  }
  return digest;
}

function read(args: QueryArguments): Signed {
  const key = neededValue(args, 'key');
  const expires = neededValue(args, 'expires');
  const digest = decodeDigest(neededValue(args, 'signature'));
  const consumer = consumerOf(args);
  if (key.length > keyCharactersMax || lineBreak.test(key)) throw refused('the key is unknown');
  if (consumer !== undefined && lineBreak.test(consumer))
    throw refused('consumer must not contain a line break');
  if (!expiresPattern.test(expires)) throw refused('expires must be a Unix timestamp in whole seconds');
  return { key, consumer, expires, digest };
}

function consumersOf(consumer: string): string[] {
  const consumers = consumer.split(',');
  if (consumers.includes('')) throw invalid('consumer', 'invalid_format', wording.emptyValue);
  if (consumers.length > consumersMax) {
    throw invalid('consumer', 'too_big', mustBeAtMost(consumersMax, 'array'));
  }
  return consumers;
}

/** Checks URL signatures (docs/interface.md, "URL signatures"). */
export class UrlSignatures {
  constructor(
    private readonly book: CredentialBook,
    private readonly now: () => number = Date.now,
  ) {}

  /** True if a request must be authenticated by a signature. */
  isMeant(args: QueryArguments): boolean {
    return args.has('signature') || args.has('key') || args.has('expires');
  }

  /**
   * @throws ServiceError 403 `invalid_signature` with the reason; 400 for a signed list of consumers that is invalid.
   */
  authenticate(args: QueryArguments): Caller | Promise<Caller> {
    const signed = read(args);
    const known = this.book.get(signed.key);
    return known
      ? this.check(signed, known)
      : this.book.find(signed.key).then((found) => this.check(signed, found));
  }

  private check(signed: Signed, known: KnownCredential | undefined): Caller {
    if (known?.credential.authentication !== 'hmac') throw refused('the key is unknown');
    const { key, consumer, expires, digest } = signed;
    // The consumer is signed exactly as it was sent: not sorted, not trimmed, commas included.
    const message = consumer === undefined ? `${key}\n${expires}` : `${key}\n${consumer}\n${expires}`;
    const expected = createHmac('sha256', known.signingKey).update(message).digest();
    if (!timingSafeEqual(expected, digest))
      throw refused('signature does not match key, consumer and expires');
    // Only a holder of the secret gets more details.
    if (known.credential.revoked) throw refused('the key is revoked');
    this.checkLifetime(Number(expires), known.credential.signature_max_age);
    if (consumer === undefined) return known.caller;
    return { ...known.caller, consumers: consumersOf(consumer) };
  }

  private checkLifetime(expires: number, ownLimit: number | null): void {
    const now = Math.floor(this.now() / 1000);
    if (expires <= now) throw refused('the signature has expired');
    const limit = Math.min(ownLimit ?? lifetimeSecondsMax, lifetimeSecondsMax);
    if (expires - now > limit) throw refused(`expires must be at most ${limit} seconds in the future`);
  }
}
