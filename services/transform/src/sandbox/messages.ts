import type { FailureReason } from '@receipts/contracts';
import type { ConversionFault } from '../domain/faults/conversion-fault';
import type { LimitedRules, RawPacket } from '../domain/run-mapping';

/** The messages between the service and its sandboxed processes. */

export interface JobMessage {
  readonly id: number;
  /** The key of an immutable version of a mapping; its rules are sent once to each process. */
  readonly mapping: string;
  /** If absent, the mapping is only compiled. */
  readonly packet?: RawPacket;
  /** Whether to return the decoded data as well. */
  readonly includeDecoded?: boolean;
}

export interface ToChild {
  readonly rules: readonly { readonly mapping: string; readonly rules: LimitedRules }[];
  readonly forget: readonly string[];
  readonly jobs: readonly JobMessage[];
}

export interface JobResult {
  readonly id: number;
  /** The CPU time that the job took, in milliseconds. */
  readonly ms: number;
  /** The receipts as a JSON array; absent after a failure. */
  readonly json?: string;
  /** The part of each receipt, if there are several parts. */
  readonly partsOfReceipts?: readonly number[];
  readonly failure?: { readonly reason: FailureReason; readonly faults: readonly ConversionFault[] };
  /** JSON of what was decoded (`Decoded`), truncated for display. */
  readonly decoded?: string;
}

/** The resources that a process has used when it sends a message. */
export interface ResourceUsage {
  /** The CPU time since its start. */
  readonly cpuMs: number;
  readonly memoryMb: number;
}

export type FromChild = { readonly usage: ResourceUsage } & (
  | { readonly ready: true }
  | {
      readonly results: readonly JobResult[];
      /** Jobs that were not started because the previous jobs took too long. They are queued again. */
      readonly returned?: readonly number[];
    }
);
