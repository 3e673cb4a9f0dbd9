import { z } from 'zod';

/** True if a text has more characters than `max`, counted in code points like JSON Schema does. */
function hasMoreCharacters(text: string, max: number): boolean {
  if (text.length <= max) return false;
  let count = 0;
  for (const _character of text) if (++count > max) return true;
  return false;
}

/**
 * A text with a minimum and maximum length. Checks that are added to it drop `meta`, so that must be repeated for the
 * API description.
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
