import type { ConfirmChannel, Options } from 'amqplib';
import type { Session } from '../connection/session';
import { pause, within } from '../connection/time-limit';

/** A healthy queue answers within milliseconds, on a busy machine within seconds. */
const canaryTimeoutMs = 10_000;
const refusedPauseMs = 50;
/** The type of the message that shows whether a queue takes messages. Consumers drop it. */
export const canaryType = 'canary';

/** What became of a message: a queue that is full refuses it, a broker that blocks publishers says nothing of the queue. */
type Fate = 'confirmed' | 'full' | 'blocked' | 'refused' | 'unanswered';

/**
 * Sends a message to a queue and waits for what the broker says.
 * @throws Error when the connection ends before it has said anything
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
    // One that is only being born refuses at first.
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
