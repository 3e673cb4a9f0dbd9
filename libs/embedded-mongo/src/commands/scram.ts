import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { MongoError } from '../errors';

/** The only user of the server. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

export const scramMechanism = 'SCRAM-SHA-256';
const iterations = 15_000;
const saltBytes = 28;
const nonceBytes = 24;
const keyBytes = 32;
/** Other characters would need SASLprep (RFC 4013) before a comparison. */
const plain = /^[\x20-\x7e]+$/;

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** All failures have the same message, which therefore does not reveal which user names exist. */
const failed = (): MongoError => new MongoError(18, 'Authentication failed.');

/** The server side of SCRAM-SHA-256 (RFC 5802, RFC 7677) for a single user. The password itself is not kept. */
export class Scram {
  private readonly user: string;
  private readonly salt = randomBytes(saltBytes);
  private readonly storedKey: Buffer;
  private readonly serverKey: Buffer;

  /** @throws if the name or password is empty or contains characters outside printable ASCII */
  constructor({ user, password }: Credentials) {
    for (const text of [user, password]) {
      if (!plain.test(text)) throw new Error('user and password must be printable ASCII, and not empty');
    }
    this.user = user;
    const salted = pbkdf2Sync(password, this.salt, iterations, keyBytes, 'sha256');
    this.storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest();
    this.serverKey = hmac(salted, 'Server Key');
  }

  has(user: string): boolean {
    return user === this.user;
  }

  /** The reply to a client's first message, and the function that verifies the second message. */
  begin(message: string): { reply: string; finish: (message: string) => string } {
    const [, first, name, nonce] = /^n,,(n=([^,]*),r=([\x21-\x2b\x2d-\x7e]+))$/.exec(message) ?? [];
    if (first === undefined || name === undefined || nonce === undefined) throw failed();
    const known = name.replace(/=2C/g, ',').replace(/=3D/g, '=') === this.user;
    const both = nonce + randomBytes(nonceBytes).toString('base64');
    const reply = `r=${both},s=${this.salt.toString('base64')},i=${iterations}`;
    return {
      reply,
      finish: (last) => {
        const [, bare, proof] = /^(c=biws,r=[^,]+),p=([^,]+)$/.exec(last) ?? [];
        if (!known || bare !== `c=biws,r=${both}` || proof === undefined) throw failed();
        const exchange = `${first},${reply},${bare}`;
        const signature = hmac(this.storedKey, exchange);
        const given = Buffer.from(proof, 'base64');
        if (given.length !== signature.length) throw failed();
        const clientKey = given.map((byte, i) => byte ^ signature[i]!);
        if (!timingSafeEqual(createHash('sha256').update(clientKey).digest(), this.storedKey)) throw failed();
        return `v=${hmac(this.serverKey, exchange).toString('base64')}`;
      },
    };
  }
}
