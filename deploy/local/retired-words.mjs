// Fails if a name that was replaced is used again, in code or in prose. This list is the only place where the old names
// stand.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './bootstrap.mjs';

const self = 'deploy/local/retired-words.mjs';
const scanned = /\.(ts|mts|mjs|cjs|js|json|ya?ml|md|sh|css|html|conf|tf)$/;
const generated = /^package-lock\.json$/;

/** Whole words, with the name that replaced each. */
const words = {
  ANSWER_DELAY_MS_MAX: 'MAX_UPSTREAM_LATENCY_MS',
  BODIES_BYTES_MAX: 'MAX_BUFFERED_BYTES',
  'both-parts': 'start-infrastructure',
  BrokerAway: 'BrokerDisconnected',
  endpointLanes: 'endpoint leases',
  EVENTS_ANNOUNCED: 'EVENT_PUBLISH_MODE',
  fateOf: 'probeQueue',
  ForeignPlatform: 'PrefixTakenError',
  forgettings: 'receipt erasures',
  innerCall: 'delegatedCall',
  keysNow: 'idempotencyClock',
  laneOf: 'createHandlerQueue',
  letFollow: 'releaseNext',
  LOOP_LAG_MS_MAX: 'MAX_EVENT_LOOP_LAG_MS',
  nextStop: 'nextDestination',
  ownCall: 'serviceCall',
  Parcel: 'BatchItem',
  parkedMessages: 'dead letters',
  QueueTakesNothing: 'QueueUnavailableError',
  Replier: 'ReplySender',
  Requester: 'RpcClient',
  runOwner: 'runDatabaseService',
  safeQueue: 'retryingQueue',
  SenderClocks: 'ClockSkewEstimator',
  StandingDelay: 'LatencyLimiter',
  stopLast: 'onShutdown',
  'straight-writes': 'direct-socket-writes',
  WebhookLanes: 'EndpointLeases',
};

/** Phrases of prose, as regular expressions. */
const phrases = [];

const pattern = new RegExp(
  [
    ...Object.keys(words).map((word) => `(?<![\\w$-])${word}(?![\\w$]|-\\w)`),
    ...phrases.map(({ source }) => source),
  ].join('|'),
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
      console.log(`${file}:${number}: "${word}" was replaced${words[word] ? ` by ${words[word]}` : ''}`);
    }
  }
}
if (files.length < 500) console.log(`only ${files.length} files were read`);
process.exit(found === 0 && files.length >= 500 ? 0 : 1);
