import type { Options } from 'amqplib';
import { pause, within } from '@receipts/kernel';
import type { Connection } from '../connection/connection';
import { noBytes } from '../message/envelope';

/** A working queue confirms within milliseconds, or within seconds on a busy machine. */
const canaryTimeoutMs = 10_000;
const refusedPauseMs = 50;
/** The type of the probe message that shows whether a queue accepts messages. Consumers drop it. */
export const canaryType = 'canary';

/**
 * Sends a message to a queue; true if the broker confirms it. Also true for a full queue, which its consumers can empty,
 * and while the broker blocks publishers, which reveals nothing about the queue.
 * @throws Error if the connection ends before the response
 */
export async function acceptsMessages(
  connection: Connection,
  queue: string,
  properties: Options.Publish,
): Promise<boolean> {
  const channel = await connection.model.createConfirmChannel();
  channel.on('error', () => {});
  const blocked = new Promise<true>((resolve) => connection.model.on('blocked', () => resolve(true)));
  const giveUpAt = Date.now() + canaryTimeoutMs;
  for (;;) {
    const response = new Promise<boolean>((resolve) =>
      channel.sendToQueue(queue, noBytes, properties, (error: unknown) => resolve(!error)),
    );
    const inTime = within(giveUpAt - Date.now(), 'the confirm', response).catch(() => undefined);
    const isConfirmed = await Promise.race([inTime, blocked, connection.lost]);
    if (isConfirmed !== false) return isConfirmed === true;
    if (((await connection.checkQueue(queue))?.messageCount ?? 0) > 0) return true;
    // A queue that is still being created rejects messages at first.
    if (Date.now() + refusedPauseMs >= giveUpAt) return false;
    await pause(refusedPauseMs);
  }
}
