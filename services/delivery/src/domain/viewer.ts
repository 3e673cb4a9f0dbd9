import type { Viewer } from '@receipts/contracts';
import { isbot } from 'isbot';

/** Whoever does not say what they are is no browser. */
export function viewerOf(headers: {
  readonly 'user-agent'?: string | undefined;
  readonly 'sec-purpose'?: string | undefined;
}): Viewer {
  const { 'user-agent': agent = '', 'sec-purpose': purpose = '' } = headers;
  const isPerson = agent !== '' && !isbot(agent) && !/\bprefetch\b/.test(purpose);
  return isPerson ? 'person' : 'bot';
}
