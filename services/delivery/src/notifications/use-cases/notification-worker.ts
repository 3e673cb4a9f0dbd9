import type { DueWork } from '@receipts/storage';
import type { ModuleDependencies } from '../../module-dependencies';
import {
  messageWork,
  notDelivered,
  outcomeUnknown,
  type MessageOutcome,
  type SendingFault,
} from '../../message-work';
import { isPermanent, MailOutcomeUnknown, type Mailer } from '../../sending/channels/email';
import { notifiedUser } from '../notified-users';
import type { NotificationDocument, Notifications, NotificationStatus } from '../storage/notifications';
import { composeMail, type ComposingDependencies } from './compose-mail';

export interface NotificationWorkerDependencies
  extends ComposingDependencies, Pick<ModuleDependencies, 'log'> {
  readonly notifications: Notifications;
  /** Absent if there is no mail server. */
  readonly mailer: Pick<Mailer, 'send'> | undefined;
  readonly mailFrom: string;
}

type Outcome = MessageOutcome<Exclude<NotificationStatus, 'pending'>>;

const faultOf = (error: unknown): SendingFault => ({
  reason: error instanceof MailOutcomeUnknown ? outcomeUnknown : notDelivered,
  isPermanent: isPermanent(error),
});

/** Sends the e-mails to managers: when woken, and when later attempts become due. */
export class NotificationWorker {
  readonly work: DueWork<NotificationDocument>;

  constructor(private readonly deps: NotificationWorkerDependencies) {
    const { notifications, log, now } = deps;
    this.work = messageWork({
      name: 'e-mails to managers',
      claim: (turn, signal) => notifications.claimDue(turn, now(), signal),
      send: (notification, hasTime) => this.send(notification, hasTime),
      faultOf,
      postpone: (notification, reason, until) => notifications.postpone(notification, reason, until, now()),
      finish: (notification, outcome) => notifications.finish(notification, outcome, now()),
      log,
      now,
    });
  }

  /**
   * Asks again who may get the e-mail, because hours may have passed since it was planned.
   * @returns undefined if the claim expired before the e-mail was sent, or the service is about to end
   */
  private async send(
    notification: NotificationDocument,
    hasTime: () => boolean,
  ): Promise<Outcome | undefined> {
    const { deps } = this;
    const user = await notifiedUser(notification, deps);
    const composed = user && (await composeMail(notification, user, deps));
    if (!composed) return { status: 'canceled', reason: user ? 'nothing_to_tell' : 'not_wanted' };
    const { mailer, mailFrom, notifications, now } = deps;
    if (!mailer) throw new Error('no mail server is configured for e-mails to managers');
    if (!hasTime()) return undefined;
    if (!(await notifications.handOver(notification, composed.stores, now()))) return undefined;
    const envelope = {
      id: mailId(notification),
      to: user.email,
      from: mailFrom,
      replyTo: null,
      unsubscribe: user.unsubscribe,
    };
    await mailer.send(envelope, composed.mail);
    return { status: 'sent', reason: null };
  }
}

/** An id that is valid in a Message-ID and as a file name. */
const mailId = ({ _id }: NotificationDocument) => _id.replace(/[^\w.-]+/g, '-');
