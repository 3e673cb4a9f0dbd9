import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@receipts/testing';
import type { Client } from '../harness/client';
import type { Fault } from './faults';
import { closingAlso, openGround, type Stage } from './stages';

const lastsMs = 8_000;
const caughtUpWithinMs = 120_000;
const endless = Buffer.alloc(64 * 1024, 'x');
const dripMs = 500;

/** What a receiver does with a webhook, by the path of its endpoint. */
const receivers: Readonly<Record<string, (res: http.ServerResponse) => void>> = {
  '/hangs': () => {},
  '/refuses': (res) => void res.writeHead(500).end(),
  '/redirects': (res) => void res.writeHead(307, { location: '/redirects' }).end(),
  '/resets': (res) => void res.socket?.resetAndDestroy(),
  '/never-ends': (res) => {
    res.writeHead(200);
    const more = () => {
      while (!res.destroyed && res.write(endless));
    };
    res.on('drain', more);
    more();
  },
  '/drips': (res) => {
    res.writeHead(200);
    const timer = setInterval(() => res.write('x'), dripMs);
    res.on('close', () => clearInterval(timer));
  },
};

/** Endpoints that misbehave, and one that works, for the same retailer. */
export function hostileReceiversStage(): Stage {
  let received = 0;
  const server = http.createServer((req, res) => {
    req.resume();
    req.on('end', () => {
      const misbehave = receivers[req.url ?? ''];
      if (misbehave) return misbehave(res);
      received++;
      res.writeHead(204).end();
    });
  });
  const addressOf = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const fault: Fault = {
    name: 'webhooks to receivers that misbehave',
    refusesNothing: true,
    async prepare(client: Client) {
      for (const path of ['/works', ...Object.keys(receivers)]) {
        const body = { url: addressOf(path), event_types: ['receipt.created'] };
        const { status } = await client.post('/webhooks/endpoints', body);
        if (status !== 201) throw new Error(`no endpoint ${path}: ${status}`);
      }
    },
    async inflict(_ground, ledger) {
      await pause(lastsMs);
      const [meanwhile, accepted] = [received, ledger.count];
      const since = performance.now();
      await until('the endpoint that works has them', () => received >= accepted, caughtUpWithinMs);
      const seconds = ((performance.now() - since) / 1_000).toFixed(1);
      return `the endpoint that works had ${meanwhile} webhooks of ${accepted} receipts, and all of them ${seconds} s later`;
    },
  };
  return {
    faults: [fault],
    async open() {
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
      const ground = await openGround({});
      const closeServer = () =>
        new Promise<void>((closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      return closingAlso(ground, closeServer);
    },
  };
}
