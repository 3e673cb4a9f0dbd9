import { idPattern } from '@receipts/kernel';

/** A position in the feed of a retailer's events. */
export interface EventCursor {
  /** The recording that the cursor belongs to; a new recording begins after an interruption. */
  readonly recording: string;
  /** The number of the last event read; 0 before the first event. */
  readonly position: number;
  /**
   * The id of that event; empty before the first event. If the newest events are lost, their numbers are used again.
   */
  readonly id: string;
}

const cursorPattern = /^([0-9a-f]{24})-([0-9a-z]{1,11})(?:-([0-9A-Za-z-]{1,64}))?$/;
const radix = 36;

export function cursorOf({ recording, position, id }: EventCursor): string {
  return `${recording}-${position.toString(radix)}${id === '' ? '' : `-${id}`}`;
}

/** Undefined for a cursor that was never issued. */
export function readCursor(text: string): EventCursor | undefined {
  const [, recording = '', digits = '', id = ''] = cursorPattern.exec(text) ?? [];
  const position = Number.parseInt(digits, radix);
  if (!idPattern.test(recording) || !Number.isSafeInteger(position)) return undefined;
  return position.toString(radix) === digits ? { recording, position, id } : undefined;
}
