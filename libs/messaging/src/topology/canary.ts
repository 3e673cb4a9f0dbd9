import type { ConfirmChannel, Options } from 'amqplib';
import type { Session } from '../connection/session';
import { pause, within } from '../connection/time-limit';

/** A working queue confirms within milliseconds, on a busy machine within seconds. */
const canaryTimeoutMs = 10_000;
const refusedPauseMs = 50;
/** The type of the probe message that shows whether a queue accepts messages. Consumers drop it. */
export const canaryType = 'canary';

/** The result of a probe. A full queue refuses it; a broker that blocks publishers says nothing about the queue. */
type Fate = 'confirmed' | 'full' | 'blocked' | 'refused' | 'unanswered';

/**
 * Sends a message to a queue and waits for the broker's response.
 * @throws Error when the connection ends before the response
 */
export async function fateOf(
  session: Session,
  queue: string,
  content: Buffer,
  properties: Options.Publish,
): Promise<Fate> {
  const channel = await session.connection.createConfirmChannel();
  channel.on('error', () => {});
  const blocked = new Promise<Fate>((resolve) => session.connection.on('blocked', () => resolve('blocked')));
  const giveUpAt = Date.now() + canaryTimeoutMs;
  for (;;) {
    const answer = confirmOf(channel, queue, content, properties, giveUpAt - Date.now());
    const fate = await Promise.race([answer, blocked, session.lost]);
    if (fate !== 'refused') return fate;
    const { messageCount } = await session.withChannel((other) => other.checkQueue(queue));
    if (messageCount > 0) return 'full';
    // A queue that is still being created refuses messages at first.
    if (Date.now() + refusedPauseMs >= giveUpAt) return 'refused';
    await pause(refusedPauseMs);
  }
}

async function confirmOf(
  channel: ConfirmChannel,
  queue: string,
  content: Buffer,
  properties: Options.Publish,
  timeoutMs: number,
): Promise<Fate> {
  const answer = new Promise<Fate>((resolve) =>
    channel.sendToQueue(queue, content, properties, (error: unknown) =>
      resolve(error ? 'refused' : 'confirmed'),
    ),
  );
  return within(timeoutMs, 'the confirm', answer).catch(() => 'unanswered');
}
