import { z } from 'zod';

/** True when a text has more characters than this, as JSON Schema counts them: an emoji is one, though two in UTF-16. */
function hasMoreCharacters(text: string, max: number): boolean {
  if (text.length <= max) return false;
  let count = 0;
  for (const _character of text) if (++count > max) return true;
  return false;
}

/** A text of so many characters. Where a check follows, `meta` has to be said again for the API description. */
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
