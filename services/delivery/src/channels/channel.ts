import type { Channel, RetailerSettings } from '@receipts/contracts';
import type { ReceiptView } from '../rendering/view';

/** A receipt that is to go to somebody. */
export interface Outgoing {
  /** The delivery's id, the same in every attempt: whoever can tell a repeated message does so by it. */
  readonly id: string;
  /** As the channel takes it: a mail address, or a number in E.164. */
  readonly to: string;
  readonly view: ReceiptView;
  /** The address of the receipt's page. */
  readonly page: string;
  /** Where its consumer can say that they want no more; null where nobody knows who that is. */
  readonly unsubscribe: string | null;
  readonly settings: RetailerSettings;
}

/** A way over which receipts go out. */
export interface ReceiptChannel {
  /** Whether receipts of a retailer with these settings can go over it in this installation. */
  isConnected(settings: RetailerSettings): boolean;
  /** Hands a receipt over, or throws: a `ChannelFault` where it is known what the failure means. */
  send(outgoing: Outgoing): Promise<void>;
}

export type ReceiptChannels = Readonly<Record<Channel, ReceiptChannel>>;

/** Why a message was not taken, as the list of deliveries shows it. */
export type FaultReason =
  | 'refused'
  | 'invalid_address'
  | 'opted_out'
  | 'rate_limited'
  | 'not_delivered'
  /** It was handed over, and no answer came: whether it was taken, nobody knows. */
  | 'outcome_unknown';

const lasting: ReadonlySet<FaultReason> = new Set(['refused', 'invalid_address', 'opted_out']);

/** A message was not taken, or nobody knows whether it was. */
export class ChannelFault extends Error {
  constructor(
    readonly reason: FaultReason,
    /** Milliseconds for which the provider has asked to wait. */
    readonly retryAfterMs = 0,
  ) {
    super(reason);
    this.name = 'ChannelFault';
  }

  /** True when trying again makes no sense. */
  get isLasting(): boolean {
    return lasting.has(this.reason);
  }
}

/** What a provider says afterwards of a message that it has taken. */
export interface Report {
  readonly deliveryId: string;
  readonly state: 'sent' | 'delivered' | 'failed';
  /** Of a failure. */
  readonly reason: string | null;
}

/** A call-back as it came. */
export interface Callback {
  /** Names the message, in the address of the call-back. */
  readonly ref: string | undefined;
  readonly headers: {
    readonly 'x-twilio-signature'?: string | undefined;
    readonly 'x-hub-signature-256'?: string | undefined;
  };
  readonly body: Buffer;
}

export interface Challenge {
  readonly 'hub.mode'?: string | undefined;
  readonly 'hub.verify_token'?: string | undefined;
  readonly 'hub.challenge'?: string | undefined;
}

/** An account with a provider of messages. One kind of provider is one file. */
export interface ProviderAccount {
  readonly channel: Exclude<Channel, 'email'>;
  /** Whether it is known in whose name a retailer with these settings sends. */
  hasSender(settings: RetailerSettings): boolean;
  /** @throws ChannelFault */
  send(outgoing: Outgoing): Promise<void>;
  /** @throws ServiceError 403 when the provider has not signed it, 400 when it makes no sense */
  readCallback(callback: Callback): readonly Report[];
  /** What a provider wants to hear that asks whether it may call back; undefined where it may not. */
  answerTo(challenge: Challenge): string | undefined;
}

/** Which of a provider's messages a call-back is about, in words that nobody else can make. */
export interface CallbackRefs {
  seal(deliveryId: string): string;
  open(ref: unknown): string | undefined;
}

export interface ProviderParts {
  readonly refs: CallbackRefs;
  /** Where the provider calls back. */
  readonly callbackUrl: string;
  readonly now: () => Date;
}
