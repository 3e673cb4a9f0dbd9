import type { Viewer } from '@receipts/contracts';
import { isbot } from 'isbot';

/** Requests without a User-Agent do not count as browsers. */
export function viewerOf(headers: {
  readonly 'user-agent'?: string | undefined;
  readonly 'sec-purpose'?: string | undefined;
}): Viewer {
  const { 'user-agent': agent = '', 'sec-purpose': purpose = '' } = headers;
  const isPerson = agent !== '' && !isbot(agent) && !/\bprefetch\b/.test(purpose);
  return isPerson ? 'person' : 'bot';
}
