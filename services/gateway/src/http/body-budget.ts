import { ServiceError, unavailable } from '@receipts/kernel';
import { rateLimited } from '../errors';

export interface BodyBudgetLimits {
  /** The maximum of bytes of all bodies in memory. */
  readonly bytesMax: number;
  /** The maximum of bytes of one caller's bodies in memory. */
  readonly callerBytesMax: number;
}

/**
 * Bodies up to this size have a reserved part of the budget, so that large bodies cannot block the posting of receipts.
 */
const smallBytesMax = 64 * 1024;
/** The part of the budget that is reserved for small bodies. */
const smallShare = 0.25;
const retryAfterSeconds = '1';

/** Memory reserved for one body: taken before the body is read, and held until the request is answered. */
export interface Reservation {
  /**
   * Reserves more, for a body of unknown length.
   * @throws ServiceError as `reserve` does.
   */
  grow(bytes: number): void;
  release(): void;
}

/** Limits the memory that request bodies take: all together, and those of each caller. */
export class BodyBudget {
  private readonly byCaller = new Map<string, number>();
  private small = 0;
  private large = 0;

  constructor(private readonly limits: BodyBudgetLimits) {}

  /** Bytes that are reserved. */
  get taken(): number {
    return this.small + this.large;
  }

  /**
   * @param bytes the Content-Length; 0 where there is none.
   * @throws ServiceError 429 when this caller has used up its part, 503 when all together have used up the budget.
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
    // A caller's only body may exceed the caller's part, up to the maximum of a body.
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
