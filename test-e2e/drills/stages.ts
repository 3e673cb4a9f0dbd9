import type { PlatformOptions } from '@receipts/local';
import { startRabbit } from '@receipts/testing';
import { newRetailer } from '../harness/client';
import { discard, ownPlatform, sharedInfrastructure, type OwnVariables } from '../harness/own-platform';
import type { Fault, Ground } from './faults';

/** A platform with a certain set-up, and the faults to inject there. */
export interface Stage {
  readonly faults: readonly Fault[];
  /** @throws CannotRun if this machine does not allow it */
  open(): Promise<OpenGround>;
}

export interface OpenGround extends Ground {
  close(): Promise<void>;
}

/** A drill is impossible on this machine. It is skipped, and the message is reported. */
export class CannotRun extends Error {}

/** A platform with a separate broker, or on the servers that are given for the whole run. */
export async function openGround(
  options: Partial<PlatformOptions>,
  variables: OwnVariables = {},
): Promise<OpenGround> {
  const given = sharedInfrastructure();
  const rabbit = given.AMQP_URL === undefined ? await startRabbit({ schedulers: 2 }) : undefined;
  try {
    const broker = rabbit === undefined ? {} : { AMQP_URL: rabbit.url };
    const platform = await ownPlatform(options, { ...given, ...broker, ...variables });
    const { baseUrl, secrets } = platform;
    const neighbour = await newRetailer(baseUrl, secrets.operatorToken);
    return {
      platform,
      rabbit,
      neighbour,
      baseUrl,
      async close() {
        await discard(platform);
        await rabbit?.dispose();
      },
    };
  } catch (error) {
    await rabbit?.dispose();
    throw error;
  }
}

/** Closes something else after the ground, even if the ground could not be closed. */
export const closingAlso = (ground: OpenGround, close: () => Promise<void>): OpenGround => ({
  ...ground,
  async close() {
    try {
      await ground.close();
    } finally {
      await close();
    }
  },
});
