export type { Log } from '@receipts/kernel';

/** The log fields of an error; the logger writes its name, message and causes. */
export const faultFields = (error: unknown): Readonly<Record<string, unknown>> => ({ error });
