import { mustBeAtLeast, mustBeAtMost, wording } from '@receipts/kernel';
import { epochMsOf, readDateTime } from '../shared/date-time';

/** What a till agent says about itself. A member is absent if its header is. */
export interface AgentFacts {
  readonly version?: string;
  /** How many further jobs it has to send. */
  readonly waiting?: number;
  /** Its own clock when it sent the request, in epoch milliseconds. */
  readonly clockMs?: number;
}

/** The headers of a till agent, with their descriptions. */
export const agentHeaders = {
  'service-agent-version': 'The version of the till agent that sends the data.',
  'service-agent-waiting': 'How many further slips the till agent has to send.',
  'service-agent-time':
    'The time of the till agent’s own clock, ISO 8601 with an offset. It shows tills whose clock is wrong.',
} as const;

const versionCharactersMax = 255;

type Report = (code: string, message: string) => undefined;

function versionOf(text: string, report: Report) {
  if (text === '') return report('too_small', mustBeAtLeast(1, 'string'));
  if (text.length <= versionCharactersMax) return text;
  return report('too_big', mustBeAtMost(versionCharactersMax, 'string'));
}

function countOf(text: string, report: Report) {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(count) ? count : report('invalid_type', wording.integer);
}

function clockOf(text: string, report: Report) {
  const written = readDateTime(text);
  if (written?.offsetMinutes === undefined) return report('invalid_format', wording.dateTime);
  return epochMsOf(written);
}

/**
 * Reads the headers of a till agent. Undefined if there are none.
 * @param valueOf the value of `agent_version` and the like, as sent
 */
export function readAgentFacts(
  valueOf: (name: string) => string | undefined,
  reportOf: (name: string) => Report,
): AgentFacts | undefined {
  const read = <T>(name: string, parse: (text: string, report: Report) => T) => {
    const value = valueOf(name);
    return value === undefined ? undefined : parse(value.trim(), reportOf(name));
  };
  const version = read('agent_version', versionOf);
  const waiting = read('agent_waiting', countOf);
  const clockMs = read('agent_time', clockOf);
  if (version === undefined && waiting === undefined && clockMs === undefined) return undefined;
  return {
    ...(version !== undefined && { version }),
    ...(waiting !== undefined && { waiting }),
    ...(clockMs !== undefined && { clockMs }),
  };
}
