import { limitsOf } from '@receipts/contracts';
import type { MappingRules } from '../domain/run-mapping';

/** The configuration of a sandboxed process. A job can run only in a process of the same kind. */
export interface ChildKind {
  readonly memoryMb: number;
  readonly pdf: boolean;
}

const pdfMemoryMb = 256;

const memoryClassesMb = [64, 128, 256];

/** Compiling needs no particular kind of process. */
export const anyKind: ChildKind = { memoryMb: 64, pdf: false };

export function kindOf(rules: MappingRules): ChildKind {
  if (rules.decode.type === 'pdf') return { memoryMb: pdfMemoryMb, pdf: true };
  const wanted = limitsOf(rules).memory_mb;
  return { memoryMb: memoryClassesMb.find((mb) => mb >= wanted) ?? pdfMemoryMb, pdf: false };
}

export const sameKind = (a: ChildKind, b: ChildKind): boolean => a.memoryMb === b.memoryMb && a.pdf === b.pdf;
