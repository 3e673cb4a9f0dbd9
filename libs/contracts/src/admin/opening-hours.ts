import { z } from 'zod';

/** The days of the week as in `opening_hours`, from Monday. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

const rangesPerDayMax = 24;
const rangePattern = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$|^([01]\d|2[0-3]):[0-5]\d-24:00$/;

const range = z
  .string()
  .regex(rangePattern, { error: 'must be a range of times, such as 08:00-20:00' })
  .refine((text) => text.slice(0, 5) !== text.slice(6), {
    error: 'must not end when it begins; the whole day is 00:00-24:00',
    params: { code: 'invalid_value' },
  });

const ranges = z.array(range).max(rangesPerDayMax);

/**
 * When a store is open, in its own time. A range whose end is not after its beginning ends on the following day. A day
 * without ranges is one on which the store stays closed.
 */
export const openingHours = z.strictObject({
  mon: ranges.optional(),
  tue: ranges.optional(),
  wed: ranges.optional(),
  thu: ranges.optional(),
  fri: ranges.optional(),
  sat: ranges.optional(),
  sun: ranges.optional(),
} satisfies Record<Weekday, unknown>);
export type OpeningHours = z.output<typeof openingHours>;

const member = 'opening_hours';

function hoursIn(settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return undefined;
  return (settings as Record<string, unknown>)[member] ?? undefined;
}

/** Checks the only member of a store's settings that the platform uses. Its absence and `null` mean the same. */
export function checkOpeningHours(settings: unknown, ctx: z.RefinementCtx): void {
  const hours = hoursIn(settings);
  if (hours === undefined) return;
  for (const issue of openingHours.safeParse(hours, { reportInput: true }).error?.issues ?? []) {
    ctx.issues.push({ ...issue, path: [member, ...issue.path] } as (typeof ctx.issues)[number]);
  }
}

/** The opening hours of a store; undefined if it has none, so that it counts as always open. */
export function openingHoursOf({ settings }: { readonly settings: unknown }): OpeningHours | undefined {
  const hours = hoursIn(settings);
  return hours === undefined ? undefined : (hours as OpeningHours);
}
