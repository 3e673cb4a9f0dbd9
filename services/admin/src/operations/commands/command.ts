import type { ReceiptsClient } from '@receipts/client';

/** The result of a command, for programs and for people. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
}

export class UsageError extends Error {}

export interface Arguments {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

export type Command = (api: ReceiptsClient, args: Arguments) => Promise<CommandResult>;

export function named(args: Arguments, at: number, what: string): string {
  const value = args.positionals[at];
  if (value === undefined) throw new UsageError(`${what} is missing`);
  return value;
}

export function option(args: Arguments, name: string): string | undefined {
  const value = args.values[name];
  return typeof value === 'string' ? value : undefined;
}

export function needed(args: Arguments, name: string): string {
  const value = option(args, name);
  if (value === undefined) throw new UsageError(`--${name} is missing`);
  return value;
}
