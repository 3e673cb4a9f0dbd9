import { execFileSync } from 'node:child_process';
import type { Platform } from '@receipts/local';
import { bearerToken } from '../harness/credentials';
import type { PlannedRequest } from './load';
import { measureRounds, printRow, unexpectedOf } from './rounds';
import { platformSubject } from './subjects';
import { receiptBody } from './work';

const post: PlannedRequest = { method: 'POST', paths: ['/receipts'], body: receiptBody, expectedStatus: 201 };
const list: PlannedRequest = { method: 'GET', paths: ['/receipts'], expectedStatus: 200 };
const warmUpSeconds = 4;
const rangeOfRun = 10_000_000;

interface NodeVersionsOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
}

/** The version of an executable of Node.js, such as `24.21.0`. */
export const versionOf = (nodePath: string): string =>
  execFileSync(nodePath, ['--version'], { encoding: 'utf8' }).trim().replace('v', '');

/**
 * Measures platforms on different versions of Node.js alternately.
 * @param platforms by version
 * @returns false if a response was unexpected
 */
export async function measureNodeVersions(
  platforms: ReadonlyMap<string, Platform>,
  { seconds, rounds, connections }: NodeVersionsOptions,
): Promise<boolean> {
  const tokens = new Map<string, string>();
  const subjects = [...platforms].map(([version, platform]) => {
    const { kid, secret } = platform.credentials.bearer;
    const name = `Node ${version}`;
    tokens.set(name, bearerToken({ key: kid, secret }));
    return { ...platformSubject(platform), name };
  });
  let unique = 0;
  let isClean = true;
  const row = async (name: string, request: PlannedRequest) => {
    const measured = await measureRounds(name, subjects, {
      ...{ rounds, warmUpSeconds },
      plan: (subject) => ({
        ...{ port: subject.port, connections, seconds, uniqueFrom: (unique += rangeOfRun) },
        headers: {
          authorization: `Bearer ${tokens.get(subject.name) ?? ''}`,
          'content-type': 'application/json',
        },
        ...request,
      }),
    });
    printRow(measured);
    isClean &&= subjects.every(({ name: subject }) => unexpectedOf(measured, subject) === 0);
  };
  await row(`POST /receipts, ${connections} connections`, post);
  await row('POST /receipts, one connection', { ...post, connections: 1 });
  await row('GET /receipts, 20 receipts', list);
  return isClean;
}
