import type { Platform, PlatformOptions } from '@receipts/local';
import { startRabbit, type Rabbit } from '@receipts/testing';
import { newRetailer, type Client, type TestRetailer } from '../harness/client';
import { discard, ownPlatform, sharedInfrastructure, type OwnVariables } from '../harness/own-platform';
import type { Ledger, LedgerOptions } from './ledger';

export type Print = (line: string) => void;

/** The platform into which faults are injected. */
export interface Target {
  readonly platform: Platform;
  /** Undefined if the broker is external and must not be disrupted. */
  readonly rabbit: Rabbit | undefined;
  /** Another retailer, which posts without limits. */
  readonly neighbour: TestRetailer;
  /** The URL to which the tills post. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

export interface Fault {
  readonly name: string;
  readonly traffic?: Partial<LedgerOptions>;
  /** True if a process is killed. */
  readonly isKill?: boolean;
  /** True if no till should have to retry a request. */
  readonly refusesNothing?: boolean;
  /** True if the fault cannot be repeated. */
  readonly once?: boolean;
  /** The longest time in seconds for which no receipts, or no packets, may be accepted. Default: unlimited. */
  readonly outageSecondsMax?: number;
  /** True if the fault disrupts the broker or the database, which must then be private. */
  readonly breaksServer?: boolean;
  /** Sets up the retailer of the tills, before they post. */
  prepare?(client: Client): Promise<void>;
  /** @returns a remark to add to the figures of each fault */
  inject(target: Target, ledger: Ledger): Promise<string | void>;
}

/** A platform with a particular configuration, and the faults to inject into it. */
export interface Scenario {
  readonly faults: readonly Fault[];
  /** @throws CannotRun if this machine does not allow it */
  open(): Promise<Target>;
}

/** A scenario is impossible on this machine. It is skipped, and the message is reported. */
export class CannotRun extends Error {}

/** The private broker of a target. */
export function brokerOf({ rabbit }: Target): Rabbit {
  if (rabbit === undefined) throw new Error('this broker is shared and must not be broken');
  return rabbit;
}

/** A platform with a separate broker, or on the servers that the whole run shares. */
export async function openTarget(
  options: Partial<PlatformOptions> = {},
  variables: OwnVariables = {},
): Promise<Target> {
  const given = sharedInfrastructure();
  const isGiven = given.AMQP_URL !== undefined || variables.AMQP_URL !== undefined;
  const rabbit = !isGiven ? await startRabbit({ schedulers: 2 }) : undefined;
  try {
    const broker = rabbit && { AMQP_URL: rabbit.url };
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

/** Also closes another resource after the target, even if the target could not be closed or opened. */
export async function closingAlso(opening: Promise<Target>, close: () => unknown): Promise<Target> {
  try {
    const target = await opening;
    return { ...target, close: () => target.close().finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}
