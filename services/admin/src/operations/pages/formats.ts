/** `3 d 4 h`, `4 h 5 min`, `5 min 6 s`, `6 s`: the two largest units of a duration. */
export function spanText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

const grouped = new Intl.NumberFormat('en-GB');

export const countText = (count: number): string => grouped.format(count);

/** `1 message`, `2,000 messages`. */
export const numbered = (count: number, noun: string): string =>
  `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `2026-03-14T12:30:15.123+00:00` as `2026-03-14 12:30:15`. */
export const momentText = (time: string): string => time.slice(0, 19).replace('T', ' ');
