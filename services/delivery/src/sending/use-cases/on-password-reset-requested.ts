import { adminContracts, type adminEvents } from '@receipts/contracts';
import { serviceCall, type EventOf } from '@receipts/kernel';
import type { ModuleDependencies } from '../../module-dependencies';
import { isPermanent, MailOutcomeUnknown, type Mailer } from '../channels/email';
import { passwordMailOf } from '../../rendering/mail/password-mail';

export interface PasswordMailDependencies extends Pick<ModuleDependencies, 'ask' | 'log' | 'now'> {
  /** Absent if there is no mail server. */
  readonly mailer: Pick<Mailer, 'send'> | undefined;
  readonly mailFrom: string;
}

type ResetRequested = EventOf<typeof adminEvents.passwordResetRequested>;

/**
 * Sends portal users the links for setting their passwords. The link is requested from admin, as events must not contain
 * it.
 */
export function onPasswordResetRequested(deps: PasswordMailDependencies) {
  return (events: readonly ResetRequested[]): Promise<(Error | undefined)[]> =>
    Promise.all(
      events.map((event) =>
        handle(event, deps).then(
          () => undefined,
          (error: unknown) => error as Error,
        ),
      ),
    );
}

async function handle(event: ResetRequested, deps: PasswordMailDependencies): Promise<void> {
  const { ask, mailer, mailFrom, log, now } = deps;
  const { reset_id: resetId } = event.data;
  const call = {
    ...serviceCall('delivery', now().getTime(), event.retailer),
    requestId: event.correlationid,
  };
  const { reset } = (await ask(adminContracts.findPasswordReset, { body: { reset_id: resetId } }, call)).body;
  if (!reset) return;
  if (!mailer) throw new Error('no mail server is configured for password e-mails');
  // The event's id, so that a duplicate e-mail can be recognized.
  const envelope = { id: event.id, to: reset.email, from: mailFrom, replyTo: null };
  try {
    await mailer.send(envelope, passwordMailOf(reset));
  } catch (error) {
    // The user can request another link if this one has not arrived.
    const isUnknown = error instanceof MailOutcomeUnknown;
    if (!isUnknown && !isPermanent(error)) throw error;
    const outcome = isUnknown ? 'unknown' : 'refused permanently';
    log.warn('a password e-mail may not have been delivered', { event: event.id, outcome });
  }
}
