import { DueWork } from '@receipts/storage';
import type { ModuleDependencies } from '../../module-dependencies';
import { saveOutcome } from '../../save-outcome';
import { isPermanent, MailOutcomeUnknown, type Mailer } from '../../sending/channels/email';
import { attemptsMax, claimMs, nextAttemptAt } from '../../sending/domain/schedule';
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

type Outcome = readonly [status: NotificationStatus, reason: string | null];

/** When the service stops, attempts that take longer than this are abandoned; their claims expire. */
const stopGraceMs = 4_000;

/** Sends the e-mails to managers: when woken, and when later attempts become due. */
export class NotificationWorker {
  readonly work: DueWork<NotificationDocument>;

  constructor(private readonly deps: NotificationWorkerDependencies) {
    this.work = new DueWork({
      name: 'e-mails to managers',
      claim: (turn, signal) => deps.notifications.claimDue(turn, deps.now(), signal),
      attempt: (notification) => this.attempt(notification),
      log: deps.log,
      stopGraceMs,
    });
  }

  private async attempt(notification: NotificationDocument): Promise<void> {
    if (notification.handedOverAt !== undefined) {
      // The process that sent the e-mail ended before it could save the outcome: nobody wants the same day twice.
      await this.finish(notification, 'failed', 'outcome_unknown');
      return;
    }
    if (notification.attempts > attemptsMax) {
      await this.finish(notification, 'failed', 'not_delivered');
      return;
    }
    let outcome: Outcome | undefined;
    try {
      outcome = await this.send(notification);
    } catch (error) {
      await this.failed(notification, error);
      return;
    }
    if (outcome) await this.finish(notification, ...outcome);
  }

  /**
   * Asks again who may get the e-mail, because hours may have passed since it was planned.
   * @returns undefined if the claim expired before the e-mail was sent, or the service is about to end
   */
  private async send(notification: NotificationDocument): Promise<Outcome | undefined> {
    const { deps } = this;
    const user = await notifiedUser(notification, deps);
    const composed = user && (await composeMail(notification, user, deps));
    if (!composed) return ['canceled', user ? 'nothing_to_tell' : 'not_wanted'];
    const { mailer, mailFrom, notifications, now } = deps;
    if (!mailer) throw new Error('no mail server is configured for e-mails to managers');
    if (!this.work.hasTimeToHandOver) return undefined;
    if (!(await notifications.handOver(notification, composed.stores, now()))) return undefined;
    const envelope = {
      id: mailId(notification),
      to: user.email,
      from: mailFrom,
      replyTo: null,
      unsubscribe: user.unsubscribe,
    };
    await mailer.send(envelope, composed.mail);
    return ['sent', null];
  }

  private async failed(notification: NotificationDocument, error: unknown): Promise<void> {
    const { notifications, log, now } = this.deps;
    const { _id: id, attempts } = notification;
    log.warn('an e-mail to a manager failed', { notification: id, attempts, error });
    if (error instanceof MailOutcomeUnknown) {
      await this.finish(notification, 'failed', 'outcome_unknown');
      return;
    }
    const again = isPermanent(error) ? undefined : nextAttemptAt(attempts, now());
    if (!again) await this.finish(notification, 'failed', 'not_delivered');
    else await this.save(() => notifications.postpone(notification, 'not_delivered', again, now()));
  }

  private finish(notification: NotificationDocument, ...[status, reason]: Outcome): Promise<void> {
    const { notifications, now } = this.deps;
    return this.save(() => notifications.finish(notification, { status, reason }, now()));
  }

  private save(write: () => Promise<void>): Promise<void> {
    return saveOutcome(write, () => (this.work.isStopping ? stopGraceMs : claimMs));
  }
}

/** An id that is valid in a Message-ID and as a file name. */
const mailId = ({ _id }: NotificationDocument) => _id.replace(/[^\w.-]+/g, '-');
