import { idPattern } from '@receipts/kernel';

/** The position at which a page of the list ends. */
export interface ListPosition {
  readonly updatedAt: Date;
  readonly _id: string;
}

export function cursorOf({ updatedAt, _id }: ListPosition): string {
  return `${updatedAt.getTime()}-${_id}`;
}

/** Undefined for a cursor that was never issued. */
export function readCursor(text: string): ListPosition | undefined {
  const match = /^(\d{1,15})-([0-9a-f]{24})$/.exec(text);
  if (!match?.[1] || !match[2] || !idPattern.test(match[2])) return undefined;
  return { updatedAt: new Date(Number(match[1])), _id: match[2] };
}
