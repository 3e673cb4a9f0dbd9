import { z } from 'zod';

/** True if a string has more characters than `max`, counted in code points as in JSON Schema. */
function hasMoreCharacters(text: string, max: number): boolean {
  if (text.length <= max) return false;
  let count = 0;
  for (const _character of text) if (++count > max) return true;
  return false;
}

/**
 * A string with a minimum and maximum length. Adding checks drops `meta`, so it must be repeated for the API
 * description.
 */
export function characters(min: number, max: number) {
  return z
    .string()
    .min(min)
    .check(({ value, issues }) => {
      if (!hasMoreCharacters(value, max)) return;
      issues.push({ code: 'too_big', origin: 'string', maximum: max, inclusive: true, input: value });
    })
    .meta({ maxLength: max });
}
