/**
 * Parses a date and time as printed by tills and returns ISO 8601, as receipts require. Tokens of a format: YYYY YY
 * MMMM MMM MM M DD D HH H hh h mm m ss s SSS A Z; any other character, and text in square brackets, matches itself.
 */

const monthNames = [
  ['jan', 'janv', 'ene', 'gen', 'ian'],
  ['feb', 'fev', 'fév', 'feb'],
  ['mar', 'mär', 'mrz', 'mars', 'maa', 'mrt'],
  ['apr', 'avr', 'abr'],
  ['may', 'mai', 'mei', 'mag'],
  ['jun', 'juin', 'giu'],
  ['jul', 'juil', 'lug'],
  ['aug', 'aou', 'aoû', 'ago'],
  ['sep', 'set'],
  ['oct', 'okt', 'out', 'ott'],
  ['nov'],
  ['dec', 'dez', 'déc', 'dic'],
];

function monthOf(name: string): number | undefined {
  const word = name.toLowerCase().replace(/\.$/, '');
  const index = monthNames.findIndex((names) => names.some((start) => word.startsWith(start)));
  return index < 0 ? undefined : index + 1;
}

type Unit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction' | 'half' | 'offset';

const tokens: readonly { token: string; unit: Unit; pattern: string }[] = [
  { token: 'YYYY', unit: 'year', pattern: '(\\d{4})' },
  { token: 'YY', unit: 'year', pattern: '(\\d{2})' },
  { token: 'MMMM', unit: 'month', pattern: '([\\p{L}.]{3,12})' },
  { token: 'MMM', unit: 'month', pattern: '([\\p{L}.]{3,12})' },
  { token: 'MM', unit: 'month', pattern: '(\\d{2})' },
  { token: 'M', unit: 'month', pattern: '(\\d{1,2})' },
  { token: 'DD', unit: 'day', pattern: '(\\d{2})' },
  { token: 'D', unit: 'day', pattern: '(\\d{1,2})' },
  { token: 'HH', unit: 'hour', pattern: '(\\d{2})' },
  { token: 'H', unit: 'hour', pattern: '(\\d{1,2})' },
  { token: 'hh', unit: 'hour', pattern: '(\\d{2})' },
  { token: 'h', unit: 'hour', pattern: '(\\d{1,2})' },
  { token: 'mm', unit: 'minute', pattern: '(\\d{2})' },
  { token: 'm', unit: 'minute', pattern: '(\\d{1,2})' },
  { token: 'SSS', unit: 'fraction', pattern: '(\\d{1,9})' },
  { token: 'ss', unit: 'second', pattern: '(\\d{2})' },
  { token: 's', unit: 'second', pattern: '(\\d{1,2})' },
  { token: 'A', unit: 'half', pattern: '([AaPp])\\.?[Mm]\\.?' },
  { token: 'Z', unit: 'offset', pattern: '(Z|[+-]\\d{2}:?\\d{2})' },
];

interface Format {
  readonly pattern: RegExp;
  readonly units: readonly Unit[];
}

const formats = new Map<string, Format>();
const cachedFormatsMax = 200;

/** Text in a format that matches itself, though its letters could be tokens. */
const literal = /^\[([^\]]+)\]/;

const matching = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s/g, '\\s+');

function compileFormat(format: string): Format {
  const known = formats.get(format);
  if (known) return known;
  const units: Unit[] = [];
  let source = '';
  let rest = format;
  while (rest !== '') {
    const [quoted, text = rest[0] ?? ''] = literal.exec(rest) ?? [];
    const found = tokens.find(({ token }) => rest.startsWith(token));
    if (found) units.push(found.unit);
    source += found?.pattern ?? matching(text);
    rest = rest.slice(found?.token.length ?? quoted?.length ?? 1);
  }
  const compiled = { pattern: new RegExp(`^\\s*${source}\\s*$`, 'u'), units };
  if (formats.size < cachedFormatsMax) formats.set(format, compiled);
  return compiled;
}

/** The fault of a format, regardless of the text; undefined for a usable format. */
export function formatFault(format: string): string | undefined {
  const { units } = compileFormat(format);
  if (units.length === 0) return 'the format has no token such as YYYY, MM or DD';
  if (new Set(units).size === units.length) return undefined;
  return 'the format has two tokens for the same part; put letters of the text in brackets, as in HH[h]mm';
}

type Read = Partial<Record<Unit, string>>;

function fullYear(text: string): number {
  if (text.length === 4) return Number(text);
  const year = Number(text);
  return year < 70 ? 2000 + year : 1900 + year;
}

function hourOf(read: Read): number {
  const hour = Number(read.hour ?? 0);
  if (read.half === undefined) return hour;
  return (hour % 12) + (read.half.toLowerCase() === 'p' ? 12 : 0);
}

const two = (value: number): string => String(value).padStart(2, '0');

function offsetOf(text: string | undefined): string {
  if (text === undefined) return '';
  if (text === 'Z') return '+00:00';
  return text.includes(':') ? text : `${text.slice(0, 3)}:${text.slice(3)}`;
}

const monthNumber = (month: string): number | undefined =>
  /^\d+$/.test(month) ? Number(month) : monthOf(month);

/**
 * Whether a date and time of the form YYYY-MM-DDTHH:mm:ss exists; a nonexistent time would be rejected or moved to the
 * next day.
 */
function exists(time: string): boolean {
  const date = new Date(`${time}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(time);
}

function toIso(read: Read): string | undefined {
  const month = monthNumber(read.month ?? '');
  if (read.year === undefined || month === undefined) return undefined;
  const date = `${String(fullYear(read.year)).padStart(4, '0')}-${two(month)}-${two(Number(read.day ?? 1))}`;
  const [minute, second] = [Number(read.minute ?? 0), Number(read.second ?? 0)];
  const time = `${date}T${two(hourOf(read))}:${two(minute)}:${two(second)}`;
  if (!exists(time)) return undefined;
  const fraction = read.fraction === undefined ? '' : `.${read.fraction}`;
  return `${time}${fraction}${offsetOf(read.offset)}`;
}

const commonFormats = [
  'YYYY-MM-DDTHH:mm:ss.SSSZ',
  'YYYY-MM-DDTHH:mm:ssZ',
  'YYYY-MM-DDTHH:mm:ss.SSS',
  'YYYY-MM-DDTHH:mm:ss',
  'YYYY-MM-DDTHH:mm',
  'YYYY-MM-DD HH:mm:ss',
  'YYYY-MM-DD HH:mm',
  'YYYY-MM-DD',
  'YYYYMMDDHHmmss',
  'YYYYMMDD HHmmss',
  'YYYYMMDD',
];

/**
 * @returns undefined if the text does not match the format (or a common ISO form if no format is given), or if the date
 * does not exist
 */
export function readTime(text: string, format?: string): string | undefined {
  for (const candidate of format === undefined ? commonFormats : [format]) {
    const { pattern, units } = compileFormat(candidate);
    const match = pattern.exec(text);
    if (!match) continue;
    const read: Read = {};
    units.forEach((unit, index) => {
      const value = match[index + 1];
      if (value !== undefined) read[unit] = value;
    });
    return toIso(read);
  }
  return undefined;
}
