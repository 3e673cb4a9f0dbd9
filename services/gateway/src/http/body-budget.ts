import { ServiceError, unavailable } from '@receipts/kernel';
import { rateLimited } from '../errors';

export interface BodyBudgetLimits {
  /** Bytes of bodies that may be in memory at a time. */
  readonly bytesMax: number;
  /** The same for one caller. */
  readonly callerBytesMax: number;
}

/** Bodies up to this size draw on a part of their own, so that large ones never keep a till from posting its receipt. */
const smallBytesMax = 64 * 1024;
/** The share of the whole that is kept for small bodies. */
const smallShare = 0.25;
const retryAfterSeconds = '1';

/** A place in memory for one body. It is taken before anything of the body is read, and held until the request is answered. */
export interface Reservation {
  /**
   * Takes more, for a body that did not say how long it is.
   * @throws ServiceError as `reserve` does.
   */
  grow(bytes: number): void;
  release(): void;
}

/** What bodies may take of the memory: all of them together, and those of each caller. */
export class BodyBudget {
  private readonly byCaller = new Map<string, number>();
  private small = 0;
  private large = 0;

  constructor(private readonly limits: BodyBudgetLimits) {}

  /** Bytes that are taken. */
  get taken(): number {
    return this.small + this.large;
  }

  /**
   * @param bytes what the request announces; 0 where it does not.
   * @throws ServiceError 429 when this caller has too much in memory already, 503 when all have.
   */
  reserve(caller: string, bytes: number): Reservation {
    const isSmall = bytes > 0 && bytes <= smallBytesMax;
    let held = 0;
    const grow = (more: number) => {
      this.take(caller, more, isSmall);
      held += more;
    };
    grow(bytes);
    return {
      grow,
      release: () => {
        this.giveBack(caller, held, isSmall);
        held = 0;
      },
    };
  }

  private take(caller: string, bytes: number, isSmall: boolean): void {
    const { bytesMax, callerBytesMax } = this.limits;
    const own = (this.byCaller.get(caller) ?? 0) + bytes;
    // What is the only body of its caller may be as large as a body may be.
    if (own > callerBytesMax && own > bytes) {
      throw new ServiceError(rateLimited, {
        description: 'too many bodies of this caller are being read',
        headers: { 'retry-after': retryAfterSeconds },
      });
    }
    const smallMax = bytesMax * smallShare;
    const isFull = isSmall
      ? this.small + bytes > smallMax
      : this.large > 0 && this.large + bytes > bytesMax - smallMax;
    if (isFull) throw new ServiceError(unavailable, { internal: 'no memory for another body' });
    this.byCaller.set(caller, own);
    if (isSmall) this.small += bytes;
    else this.large += bytes;
  }

  private giveBack(caller: string, bytes: number, isSmall: boolean): void {
    const own = (this.byCaller.get(caller) ?? 0) - bytes;
    if (own > 0) this.byCaller.set(caller, own);
    else this.byCaller.delete(caller);
    if (isSmall) this.small -= bytes;
    else this.large -= bytes;
  }
}
