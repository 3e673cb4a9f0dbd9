import type { Options } from 'amqplib';
import { firstSuccess } from '@receipts/concurrency';
import type { Connection } from '../connection/connection';
import { noBytes } from '../message/envelope';

/** A working queue confirms within milliseconds, or within seconds on a busy machine. */
const probeTimeoutMs = 10_000;
/**
 * How often what needs the leader of a quorum queue is tried on a further channel. While a leader is frozen, the first
 * message on a channel, a new consumer or a new queue waits until the node counts as down, for a minute by default, and
 * holds up all that follows on the channel. The others elect a leader within seconds, which a later channel finds.
 */
export const leaderTryMs = 1_000;
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
  const attempt = async () => {
    if (connection.isLost) return false;
    if (await confirmOnNewChannel(connection, queue, properties)) return true;
    if (((await connection.checkQueue(queue))?.messageCount ?? 0) > 0) return true;
    // A queue that is still being created rejects messages at first.
    throw new Error(`the queue ${queue} refuses messages`);
  };
  const confirmed = firstSuccess(leaderTryMs, probeTimeoutMs, attempt);
  try {
    return (await Promise.race([confirmed, blocked, connection.lost])) ?? false;
  } finally {
    connection.model.off('blocked', noteBlocked);
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
