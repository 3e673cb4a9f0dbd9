// Fails if a replaced name is used again, in code or in prose. This list is the only place with the old names.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './bootstrap.mjs';

const self = 'deploy/local/retired-words.mjs';
const scanned = /\.(ts|mts|mjs|cjs|js|json|ya?ml|md|sh|css|html|conf|tf)$/;
const generated = /^package-lock\.json$/;

/** Whole words, with the name that replaced each. */
const words = {
  acceptFirst: 'compileFastCheck',
  ANSWER_DELAY_MS_MAX: 'MAX_UPSTREAM_LATENCY_MS',
  ArrivalRelay: 'CreatedEventRelay',
  asked_seconds: 'rpc_client_duration_seconds',
  BODIES_BYTES_MAX: 'bodyBudgetLimits',
  'both-parts': 'start-infrastructure',
  BrokerAway: 'BrokerDisconnected',
  CatchUp: 'GapRecovery',
  claimInTurn: 'claimRoundRobin',
  endpointLanes: 'endpoint leases',
  endProcess: 'crashProcess',
  ErrorOnTheWire: 'SerializedError',
  events_heard_of: 'event_catchup_cursors',
  explaining: 'collectErrors',
  'field-notes': '.meta in the schema',
  ForeignPlatform: 'PrefixTakenError',
  forgettings: 'receipt erasures',
  forTheRetailer: 'denyConsumerCredentials',
  gatherMs: 'batchWindowMs',
  handled_seconds: 'rpc_server_duration_seconds',
  heard_timestamp: 'last_seen_timestamp',
  http_request_seconds: 'http_request_duration_seconds',
  InHand: 'InFlightCounts',
  innerCall: 'delegatedCall',
  keysNow: 'idempotencyClock',
  Lane: 'BatchQueue',
  laneOf: 'createHandlerQueue',
  letFollow: 'releaseNext',
  LOOP_LAG_MS_MAX: 'MAX_UPSTREAM_LATENCY_MS',
  LoopWatch: 'EventLoopMonitor',
  MAX_BUFFERED_BYTES: 'bodyBudgetLimits',
  MAX_EVENT_LOOP_LAG_MS: 'MAX_UPSTREAM_LATENCY_MS',
  nextStop: 'nextDestination',
  nudge: 'enqueue',
  onUp: 'onConnected',
  'open-parts': 'create-dependencies',
  openParts: 'createDependencies',
  ownCall: 'serviceCall',
  Parcel: 'BatchItem',
  parkedMessages: 'dead letters',
  PlaceDocument: 'CursorDocument',
  presentCursor: 'currentCursor',
  PrintedEvent: 'SerializedEvent',
  printEvent: 'serializeEvent',
  QueueTakesNothing: 'QueueUnavailableError',
  receipts_heard_of: 'receipt_catchup_cursors',
  'released-writes': 'driver-drain-fix',
  Replier: 'ReplySender',
  Requester: 'RpcClient',
  runOwner: 'runDatabaseService',
  safeQueue: 'retryingQueue',
  SearchSlots: 'SearchLimiter',
  SEND_AGAIN_AFTER_MS: 'CONVERSION_RETRY_MS',
  SenderClocks: 'ClockSkewEstimator',
  StandingDelay: 'LatencyLimiter',
  stopLast: 'onShutdown',
  storageFault: 'toUnavailableError',
  suspects: 'quarantine',
  tellEventsAgain: 'republishEvents',
  tellingAgain: 'replayHandlers',
  'told-events': 'published-events',
  told_events: 'published_events',
  ToldEvents: 'PublishedEvents',
  toldOnce: 'secretFields',
  Unsaid: 'UnpublishedEvents',
  VersionedChanges: 'BatchedUpdates',
  WebhookLanes: 'EndpointLeases',
  Witness: 'RebuildMarker',
};

const pattern = new RegExp(
  Object.keys(words)
    .map((word) => `(?<![\\w$-])${word}(?![\\w$]|-\\w)`)
    .join('|'),
  'g',
);

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
})
  .toString()
  .split('\0')
  .filter((file) => scanned.test(file) && !generated.test(file) && file !== self)
  .filter((file) => existsSync(path.join(root, file)));

let found = 0;
for (const file of files) {
  const lines = [file, ...readFileSync(path.join(root, file), 'utf8').split('\n')];
  for (const [number, line] of lines.entries()) {
    for (const [word] of line.matchAll(pattern)) {
      found++;
      console.log(`${file}:${number}: "${word}" was replaced by ${words[word]}`);
    }
  }
}
if (files.length < 500) console.log(`only ${files.length} files were read`);
process.exit(found === 0 && files.length >= 500 ? 0 : 1);
