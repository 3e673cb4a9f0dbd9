import type { Options } from 'amqplib';
import { pause, within } from '@receipts/concurrency';
import type { Connection } from '../connection/connection';
import { noBytes } from '../message/envelope';

/** A working queue confirms within milliseconds, or within seconds on a busy machine. */
const probeTimeoutMs = 10_000;
/**
 * How long a channel waits at first. A channel that is new to a queue learns of its next leader only after 10 s, but
 * another channel finds it at once.
 */
const firstTryMs = 1_000;
const refusedPauseMs = 50;
/** The type of the probe message that shows whether a queue accepts messages. Consumers drop it. */
export const probeType = 'probe';

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
  let noteBlocked = () => {};
  const blocked = new Promise<true>((resolve) => (noteBlocked = () => resolve(true)));
  connection.model.on('blocked', noteBlocked);
  try {
    return await isConfirmed(connection, queue, properties, blocked);
  } finally {
    connection.model.off('blocked', noteBlocked);
  }
}

async function isConfirmed(
  connection: Connection,
  queue: string,
  properties: Options.Publish,
  blocked: Promise<true>,
): Promise<boolean> {
  const giveUpAt = Date.now() + probeTimeoutMs;
  for (let tryMs = firstTryMs; ; tryMs *= 2) {
    const response = confirmOnNewChannel(connection, queue, properties);
    const leftMs = Math.min(tryMs, giveUpAt - Date.now());
    const inTime = within(leftMs, 'the confirm', response).catch(() => undefined);
    const answer = await Promise.race([inTime, blocked, connection.lost]);
    if (answer === true) return true;
    if (answer === false && ((await connection.checkQueue(queue))?.messageCount ?? 0) > 0) return true;
    if (Date.now() + refusedPauseMs >= giveUpAt) return false;
    // A queue that is still being created rejects messages at first.
    await pause(refusedPauseMs);
  }
}

/** Resolves with the broker's response: whether the queue accepts the message. */
async function confirmOnNewChannel(
  connection: Connection,
  queue: string,
  properties: Options.Publish,
): Promise<boolean> {
  const channel = await connection.model.createConfirmChannel();
  channel.on('error', () => {});
  const response = new Promise<boolean>((resolve) =>
    channel.sendToQueue(queue, noBytes, properties, (error: unknown) => resolve(!error)),
  );
  try {
    return await Promise.race([response, connection.lost]);
  } finally {
    void connection.closeChannel(channel);
  }
}
