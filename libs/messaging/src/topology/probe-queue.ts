import type { Options } from 'amqplib';
import { pause, within } from '@receipts/kernel';
import type { Connection } from '../connection/connection';

/** A working queue confirms within milliseconds, or within seconds on a busy machine. */
const canaryTimeoutMs = 10_000;
const refusedPauseMs = 50;
/** The type of the probe message that shows whether a queue accepts messages. Consumers drop it. */
export const canaryType = 'canary';

/** The result of a probe. A full queue rejects it; a broker that blocks publishers reveals nothing about the queue. */
type ProbeResult = 'confirmed' | 'full' | 'blocked' | 'refused' | 'unanswered';

/**
 * Sends a message to a queue and waits for the broker's response.
 * @throws Error if the connection ends before the response
 */
export async function probeQueue(
  connection: Connection,
  queue: string,
  content: Buffer,
  properties: Options.Publish,
): Promise<ProbeResult> {
  const channel = await connection.model.createConfirmChannel();
  channel.on('error', () => {});
  const blocked = new Promise<ProbeResult>((resolve) =>
    connection.model.on('blocked', () => resolve('blocked')),
  );
  const giveUpAt = Date.now() + canaryTimeoutMs;
  for (;;) {
    const answer = new Promise<ProbeResult>((resolve) =>
      channel.sendToQueue(queue, content, properties, (error: unknown) =>
        resolve(error ? 'refused' : 'confirmed'),
      ),
    );
    const inTime = within(giveUpAt - Date.now(), 'the confirm', answer).catch(() => 'unanswered' as const);
    const result = await Promise.race([inTime, blocked, connection.lost]);
    if (result !== 'refused') return result;
    if (((await connection.checkQueue(queue))?.messageCount ?? 0) > 0) return 'full';
    // A queue that is still being created rejects messages at first.
    if (Date.now() + refusedPauseMs >= giveUpAt) return 'refused';
    await pause(refusedPauseMs);
  }
}
