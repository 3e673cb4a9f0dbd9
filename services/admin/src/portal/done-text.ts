import type { Language, MessageKey } from '../pages/language';

/** The texts for actions, by the value of `?done=`. */
export type DoneTexts = Readonly<Record<string, MessageKey>>;

/** The text for the action that was just performed, if there is one. */
export function doneText(texts: DoneTexts, done: string | undefined, { t }: Language): string | undefined {
  const key = done !== undefined && Object.hasOwn(texts, done) ? texts[done] : undefined;
  return key && t(key);
}
