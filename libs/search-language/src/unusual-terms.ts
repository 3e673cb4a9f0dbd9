import type { Field } from './fields';
import { mark, sortable } from './search-terms';

/**
 * The maximum number of elements in each array. Only receipts of about a thousand items or more reach it. Additional
 * elements are not searchable; the record's own fields come before those of items.
 */
export const searchElementsMax = 10_000;

/** Distinct strings, in the order in which they were added. */
export class Strings {
  private readonly seen = new Set<string>();

  add(element: string): void {
    if (this.seen.size < searchElementsMax) this.seen.add(element);
  }

  /** Adds a string even if there are already too many, because others depend on it. */
  addAlways(element: string): void {
    this.seen.add(element);
  }

  list(): string[] {
    return [...this.seen];
  }
}

/** Whether a field has terms that are known only after all values of the record have been read. */
export function dependsOnAllValues({ usual, expected, commonSymbols }: Field): boolean {
  return usual === true || expected !== undefined || commonSymbols !== undefined;
}

/**
 * The terms that depend on all values of a record: which values are missing, and whether the expected value is present.
 */
export class UnusualTerms {
  private readonly present = new Set<string>();
  private readonly symbols = new Map<string, string>();
  /** The numbers of fields with an expected value, keyed by field code. */
  private readonly numbers = new Map<string, { readonly code: string; readonly value: number }[]>();

  constructor(private readonly terms: Strings) {}

  /** Records that a usual field has a value. */
  notePresence({ code }: Field): void {
    this.present.add(code);
  }

  /** Records the common symbols in a text. */
  noteSymbols({ code }: Field, found: string): void {
    this.symbols.set(code, (this.symbols.get(code) ?? '') + found);
  }

  /** @param code the code of the field, or the code of its fractions */
  addNumber(field: Field, code: string, value: number): void {
    if (field.expected === undefined) {
      this.terms.add(code + mark.number + sortable(value));
      return;
    }
    const numbers = this.numbers.get(field.code);
    if (numbers) numbers.push({ code, value });
    else this.numbers.set(field.code, [{ code, value }]);
  }

  /** Adds the terms of these fields, for which `dependsOnAllValues` holds. */
  finish(fields: readonly Field[]): void {
    for (const field of fields) {
      if (field.usual && !this.present.has(field.code)) this.terms.addAlways(field.code + mark.absent);
      if (field.expected !== undefined) this.addUnexpected(field, field.expected);
      if (field.commonSymbols !== undefined) this.addLacking(field.code, field.commonSymbols);
    }
  }

  private addUnexpected({ code }: Field, expected: number): void {
    const numbers = this.numbers.get(code) ?? [];
    const isExpected = (one: (typeof numbers)[number]) => one.code === code && one.value === expected;
    if (numbers.some(isExpected)) {
      for (const one of numbers) {
        if (!isExpected(one)) this.terms.add(one.code + mark.number + sortable(one.value));
      }
      return;
    }
    this.terms.addAlways(code + mark.unexpected);
    for (const one of numbers) this.terms.add(one.code + mark.unexpectedNumber + sortable(one.value));
  }

  private addLacking(code: string, common: string): void {
    const found = this.symbols.get(code);
    if (found === undefined) return;
    let lacking = '';
    for (const symbol of common) if (!found.includes(symbol)) lacking += symbol;
    if (lacking !== '') this.terms.addAlways(code + mark.lacking + lacking);
  }
}
