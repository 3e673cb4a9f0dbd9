import type { Channel, RetailerSettings } from '@receipts/contracts';
import type { HandlerOf } from '../../handler-of';
import type { MailFiles } from '../../rendering/mail/mail';
import type { ReceiptView } from '../../rendering/view/view';

/** A receipt to be sent. */
export interface OutgoingMessage {
  /** The delivery's id, the same in every attempt, so that a receiver can recognize a repeated message. */
  readonly id: string;
  /** The address in the channel's format: an e-mail address, or a number in E.164. */
  readonly to: string;
  readonly view: ReceiptView;
  /** The URL of the receipt's page. */
  readonly page: string;
  /** The URL for unsubscribing from e-mails; null for other channels. */
  readonly unsubscribe: string | null;
  /** The files of an e-mail. */
  readonly files?: MailFiles;
  readonly settings: RetailerSettings;
}

/** A channel over which receipts are sent. */
export interface ReceiptChannel {
  /** Whether the channel can be used for a retailer with these settings. */
  isConnected(settings: RetailerSettings): boolean;
  /** Sends a receipt, or throws: a `ChannelFault` if the meaning of the failure is known. */
  send(message: OutgoingMessage): Promise<void>;
}

export type ReceiptChannels = Readonly<Record<Channel, ReceiptChannel>>;

/** Why sending failed, as shown in the list of deliveries. */
export type FaultReason =
  | 'refused'
  | 'invalid_address'
  | 'opted_out'
  | 'rate_limited'
  | 'not_delivered'
  /** The message was handed over but no response arrived, so it may or may not have been accepted. */
  | 'outcome_unknown';

const permanentReasons: ReadonlySet<FaultReason> = new Set(['refused', 'invalid_address', 'opted_out']);

/** Sending failed, or its outcome is unknown. */
export class ChannelFault extends Error {
  constructor(
    readonly reason: FaultReason,
    /** Milliseconds to wait, if the provider has requested it. */
    readonly retryAfterMs = 0,
  ) {
    super(reason);
    this.name = 'ChannelFault';
  }

  /** True if retrying is pointless. */
  get isPermanent(): boolean {
    return permanentReasons.has(this.reason);
  }
}

/** A provider's later report about a message that it has accepted. */
export interface Report {
  readonly deliveryId: string;
  readonly state: 'sent' | 'delivered' | 'failed';
  /** The reason for a failure. */
  readonly reason: string | null;
}

/** A provider's callback as received, and its check of the callback URL. */
type Callback = Parameters<HandlerOf<'receiveChannelReport'>>[0];
type Challenge = Parameters<HandlerOf<'confirmChannelCallback'>>[0]['query'];

/** An account with a message provider. There is one file per kind of provider. */
export interface ProviderAccount {
  readonly channel: Exclude<Channel, 'email'>;
  /** Whether a sender is configured for a retailer with these settings. */
  hasSender(settings: RetailerSettings): boolean;
  /** @throws ChannelFault */
  send(message: OutgoingMessage): Promise<void>;
  /** @throws ServiceError 403 if the provider's signature is invalid, 400 if the content is */
  readCallback(callback: Callback): readonly Report[];
  /** The response that confirms the callback URL to the provider; undefined if the challenge is invalid. */
  answerTo(challenge: Challenge): string | undefined;
}

/** Creates and verifies the signed references of messages in callback URLs. */
export interface CallbackRefs {
  seal(deliveryId: string): string;
  open(ref: unknown): string | undefined;
}

export interface ProviderOptions {
  readonly refs: CallbackRefs;
  /** The URL for the provider's callbacks. */
  readonly callbackUrl: string;
  readonly now: () => Date;
}
