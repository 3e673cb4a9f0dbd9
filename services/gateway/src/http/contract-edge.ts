import type { HttpAnswer } from '@receipts/kernel';
import type { NextPart, QueryMembers } from './reply-parts';

/** The functions of a contract that run in the gateway, without their types: the schemas have checked the arguments. */
export type ContractEdge = {
  readonly answer?: (meta: unknown) => HttpAnswer;
  readonly confirmed?: (input: unknown) => boolean;
  readonly verify?: (input: unknown) => void;
  readonly consumerOf?: (input: unknown) => string | null | undefined;
  readonly poll?: {
    readonly waitSeconds: (input: unknown) => number;
    readonly again: (meta: unknown) => QueryMembers | undefined;
  };
  readonly nextPart?: NextPart;
};
