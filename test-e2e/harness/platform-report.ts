import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Platform } from '@receipts/local';
import { Client } from './client';
import type { HttpResponse } from './http';

const linesMax = 30;

/** The last warnings and errors in each log of a platform. */
function troubles({ settings }: Platform): string[] {
  const folder = path.join(settings.dataDir, 'logs');
  return readdirSync(folder).flatMap((file) => {
    const lines = readFileSync(path.join(folder, file), 'utf8').trimEnd().split('\n');
    return [`${file}:`, ...lines.filter((line) => !line.includes('"level":"info"')).slice(-linesMax)];
  });
}

async function answered(
  what: string,
  answer: Promise<HttpResponse>,
  shown: (body: any) => unknown,
): Promise<string> {
  try {
    const { status, body } = await answer;
    return `${what}: ${status} ${JSON.stringify(status === 200 ? shown(body) : body)}`;
  } catch (error) {
    return `${what}: ${String(error)}`;
  }
}

/**
 * The state of a platform when a test has timed out: the response to `GET /receipts`, the packets without
 * receipts, the queues with messages, and the last warnings in the logs.
 */
export async function platformReport(platform: Platform, retailer: Client): Promise<string> {
  const authorization = `Bearer ${platform.secrets.operatorToken}`;
  const operator = new Client(platform.baseUrl, { headers: { authorization } });
  const withPackets = (status: string) =>
    answered(
      `packets that are ${status}`,
      retailer.get('/pos/packets', { status }),
      ({ packets }) => packets,
    );
  const parts = await Promise.all([
    answered(
      'GET /receipts',
      retailer.get('/receipts'),
      ({ receipts }) => `${receipts.length} on the first page`,
    ),
    withPackets('accepted'),
    withPackets('failed'),
    answered('queues', operator.get('/operator/status'), ({ queues }) =>
      queues.filter((queue: any) => queue.messages > 0 || queue.dead_letters > 0 || queue.consumers === 0),
    ),
  ]);
  return [...parts, ...troubles(platform)].join('\n');
}
