import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Express, Request, Response } from 'express';
import { badRequest } from '../errors';
import type { Log } from '@receipts/kernel';
import {
  GatewayRequest,
  GatewayResponse,
  RequestContext,
  type Expectation,
  type TraceOf,
} from './request-context';
import { parserHeaderBytesMax, type SizeLimits } from './limits';
import { refuseConnection } from './refused-connections';
import { BadConnection } from './wire-checks';

export interface ServerTimes {
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** How long an idle connection stays open. Must be longer than the keep-alive timeout of the load balancer. */
  readonly keepAliveMs: number;
}

/**
 * Headers arrive in one or two packets, and 30 s are enough for the largest attachment at 3 Mbit/s. Slower callers keep
 * a connection open on purpose.
 */
export const arrivalTimes = { headersTimeoutMs: 5_000, requestTimeoutMs: 30_000 } as const;

/** The TLS certificate and key, in PEM. */
export interface Certificate {
  /** The certificate, followed by intermediate certificates. */
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface GatewayServerOptions {
  readonly app: Express;
  readonly limits: SizeLimits;
  readonly times: ServerTimes;
  readonly connectionsMax: number;
  /** If present, the server uses HTTPS, otherwise HTTP. */
  readonly certificate?: Certificate | undefined;
  readonly basePath: string;
  /** See `callerAddress`. */
  readonly trustedProxies: number;
  readonly log: Log;
  readonly traceOf: TraceOf;
}

export interface GatewayServer {
  /** Resolves with the port, which is needed if port 0 was given. */
  listen(port: number, host: string): Promise<number>;
  /** Stops accepting connections, waits for requests in progress, and closes the rest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const connectionsCheckMs = 1_000;
/**
 * A caller that does not read its response occupies memory, so the connection is closed after this time without
 * progress.
 */
const stalledMs = 60_000;

/** Connections without a completed TLS handshake are closed after this time. */
const handshakeMs = 10_000;

function makeServer(times: ServerTimes, certificate: Certificate | undefined): Server {
  const options = {
    IncomingMessage: GatewayRequest,
    ServerResponse: GatewayResponse,
    maxHeaderSize: parserHeaderBytesMax,
    headersTimeout: times.headersTimeoutMs,
    requestTimeout: times.requestTimeoutMs,
    keepAliveTimeout: times.keepAliveMs,
    connectionsCheckingInterval: connectionsCheckMs,
    // A missing Host is rejected by `checkHeaders`, in the interface's error body.
    requireHostHeader: false,
    noDelay: true,
  };
  const server = (certificate
    ? createSecureServer({
        ...options,
        ...certificate,
        minVersion: 'TLSv1.2',
        handshakeTimeout: handshakeMs,
      })
    : createServer(options)) as unknown as Server;
  // Node silently drops headers above its maximum, for instance Authorization. `checkHeaders` counts and rejects them.
  server.maxHeadersCount = 0;
  server.timeout = stalledMs;
  return server;
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** The HTTP server of the platform. */
export function createGatewayServer(options: GatewayServerOptions): GatewayServer {
  const { app } = options;
  const server = makeServer(options.times, options.certificate);
  server.maxConnections = options.connectionsMax;

  const receive = (expectation: Expectation) => (req: GatewayRequest, res: GatewayResponse) => {
    new RequestContext(req, res, expectation, options);
    app(req as unknown as Request, res as unknown as Response);
  };
  server.on('request', receive('none') as never);
  server.on('checkContinue', receive('continue') as never);
  server.on('checkExpectation', receive('unknown') as never);
  server.on('clientError', (error, socket) => refuseConnection(options, error, socket));
  server.on('connect', (_req, socket) => refuseConnection(options, new BadConnection(badRequest), socket));

  return {
    async listen(port, host) {
      await once(server.listen(port, host), 'listening');
      return (server.address() as AddressInfo).port;
    },
    close: (graceMs) => closeServer(server, graceMs),
  };
}
