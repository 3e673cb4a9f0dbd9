import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listen, until } from '@receipts/testing';
import { closingAlso, openTarget, type Scenario } from './scenario';

const lastsMs = 8_000;
const caughtUpWithinMs = 120_000;
const endless = Buffer.alloc(64 * 1024, 'x');
const dripMs = 500;

/** How a receiver handles a webhook, by the path of its endpoint. */
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

/** Endpoints that misbehave and one that works, all of the same retailer. */
export function misbehavingReceivers(): Scenario {
  let received = 0;
  let port = 0;
  const server = http.createServer((req, res) => {
    req.resume();
    req.on('end', () => {
      const misbehave = receivers[req.url ?? ''];
      if (misbehave) return misbehave(res);
      received++;
      res.writeHead(204).end();
    });
  });
  const closeServer = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return {
    faults: [
      {
        name: 'webhooks to receivers that misbehave',
        refusesNothing: true,
        async prepare(client) {
          for (const path of ['/works', ...Object.keys(receivers)]) {
            const body = { url: `http://127.0.0.1:${port}${path}`, event_types: ['receipt.created'] };
            const { status } = await client.post('/webhooks/endpoints', body);
            if (status !== 201) throw new Error(`no endpoint ${path}: ${status}`);
          }
        },
        async inject(_target, ledger) {
          await pause(lastsMs);
          const [meanwhile, accepted] = [received, ledger.count];
          const since = performance.now();
          await until('the working endpoint to receive them', () => received >= accepted, caughtUpWithinMs);
          const seconds = ((performance.now() - since) / 1_000).toFixed(1);
          return `the working endpoint had received ${meanwhile} webhooks of ${accepted} receipts, and all of them ${seconds} s later`;
        },
      },
    ],
    async open() {
      port = await listen(server);
      return closingAlso(openTarget(), closeServer);
    },
  };
}
