import { epochMsOf, readDateTime } from './date-time';
import { refuse, text } from './query-parameters';

const dateLength = 'YYYY-MM-DD'.length;

/**
 * A query parameter with a time, read as epoch milliseconds, in UTC unless it has an offset. A date without a time is its first or last instant. A
 * plus sign that was not percent-encoded is received as a space, which is accepted.
 */
export function moment(ofDate: 'first' | 'last', description: string) {
  const base = text({ max: 40, description, example: '2026-03-01T00:00:00Z' });
  const readable = base.transform((given, ctx): number => {
    const written = given.replace(/ (?=\d\d:?\d\d$)/, '+');
    const whole =
      written.length === dateLength
        ? `${written}T${ofDate === 'first' ? '00:00:00' : '23:59:59.999'}`
        : written;
    const read = readDateTime(whole);
    if (read) return epochMsOf(read);
    return refuse(ctx, 'invalid_format', 'must be an ISO 8601 date and time');
  });
  return readable.meta({ ...base.meta(), parameter: { type: 'string', format: 'date-time' } });
}
