function quality(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'q') return Number(value.trim()) || 0;
  }
  return 1;
}

interface Preference {
  /** From 0 (not acceptable) to 1. */
  readonly weight: number;
  /** How specific the range is: 3 names the type, 1 is any type. */
  readonly rank: number;
}

/**
 * The preference of an Accept header for a media type. The most specific range that matches decides (RFC 9110, section
 * 12.5.1). Parameters other than `q` are ignored: `negotiator` would reject `application/json; charset=utf-8`, which
 * many clients send, and would choose among equals by the header's order.
 */
function preferenceFor(header: string, type: string): Preference {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  let best = 0;
  let weight = 0;
  for (const range of header.split(',')) {
    const [name = '', ...parameters] = range.split(';');
    const asked = name.trim().toLowerCase();
    const rank = asked === type ? 3 : asked === group ? 2 : asked === '*/*' ? 1 : 0;
    if (rank === 0 || rank < best) continue;
    const given = quality(parameters);
    weight = rank === best ? Math.max(weight, given) : given;
    best = rank;
  }
  return { weight, rank: best };
}

const wantsAnything = (header: string | undefined): header is undefined | '' | '*/*' =>
  header === undefined || header === '*/*' || header.trim() === '';

/** True if an Accept header accepts a media type. */
export function accepts(header: string | undefined, type: string): boolean {
  return wantsAnything(header) || header === type || preferenceFor(header, type).weight > 0;
}

/**
 * The media type that an Accept header prefers; undefined if none is acceptable. Among equally weighted types, the more
 * specific type wins, then the earlier type: `application/json` beside any type gets JSON.
 */
export function preferred(header: string | undefined, types: readonly string[]): string | undefined {
  if (wantsAnything(header)) return types[0];
  let best: string | undefined;
  let highest: Preference = { weight: 0, rank: 0 };
  for (const type of types) {
    const preference = preferenceFor(header, type);
    const { weight, rank } = preference;
    const isBetter = weight > highest.weight || (weight === highest.weight && rank > highest.rank);
    if (weight === 0 || !isBetter) continue;
    best = type;
    highest = preference;
  }
  return best;
}
