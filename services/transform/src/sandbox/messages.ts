import type { FailureReason } from '@receipts/contracts';
import type { ConversionFault } from '../domain/faults/conversion-fault';
import type { LimitedRules, RawPacket } from '../domain/run-mapping';

/** What travels between the service and its sandboxed processes. */

export interface JobMessage {
  readonly id: number;
  /** Names an immutable version of a mapping; its rules travel once to each process. */
  readonly mapping: string;
  /** Absent: only compile the mapping. */
  readonly packet?: RawPacket;
  /** Also answer what was decoded, for people to look at. */
  readonly wantsDecoded?: boolean;
}

export interface ToChild {
  readonly rules: readonly { readonly mapping: string; readonly rules: LimitedRules }[];
  readonly forget: readonly string[];
  readonly jobs: readonly JobMessage[];
}

export interface JobResult {
  readonly id: number;
  /** Milliseconds of a processor that it took. */
  readonly ms: number;
  /** The receipts as a JSON array; absent after a failure. */
  readonly json?: string;
  readonly failure?: { readonly reason: FailureReason; readonly faults: readonly ConversionFault[] };
  /** JSON of the DecodedView, cut to a size that can be shown. */
  readonly decoded?: string;
}

/** What a process has used by the time that it says something. */
export interface ProcessUse {
  /** Processor time since its start. */
  readonly cpuMs: number;
  readonly memoryMb: number;
}

export type FromChild = { readonly use: ProcessUse } & (
  | { readonly ready: true }
  | {
      readonly results: readonly JobResult[];
      /** Jobs that were not begun, because those before them took long: somebody else may be next. */
      readonly givenBack?: readonly number[];
    }
);
