// How many processes a day of receipts needs, and what becomes of the queues when a service stands still at the worst time:
//   node deploy/capacity/simulate.mjs --receipts 50000000 --packets 0.5 --busiest 2
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    /** Receipts of a day, in whatever form tills send them. */
    receipts: { type: 'string', default: '50000000' },
    /** The share that comes as raw packets. */
    packets: { type: 'string', default: '0.5' },
    /** How much more than the usual there is on the busiest day of the year. */
    busiest: { type: 'string', default: '2' },
    /** How full a process may be in the busiest minute: what is above is for its neighbours when one of them stops. */
    fill: { type: 'string', default: '0.6' },
    /** How long a service stands still, in minutes, at the start of the busiest hour. */
    outage: { type: 'string', default: '10' },
  },
});
const receiptsPerDay = Number(values.receipts) * Number(values.busiest);
const packetShare = Number(values.packets);
const fill = Number(values.fill);
const outageS = Number(values.outage) * 60;

/** Shares of the hours of a shopping day, from midnight; they are made to add up. */
const hours = [1, 0.5, 0.3, 0.3, 0.5, 1, 3, 5, 6, 7, 8, 9, 10, 9, 7, 7, 8, 9, 10, 8, 5, 3, 2, 1];
const sumOfHours = hours.reduce((sum, share) => sum + share, 0);
/** The busiest minute of an hour is this much above its average. */
const minuteFactor = 1.5;

/**
 * Milliseconds of CPU that each kind of process spends on a receipt and on a packet, measured under load on the machine that
 * the table in test-e2e/README is from; `waits` is what is put into a queue while it stands still. A till that posts a receipt
 * waits for receipt-store itself: it is told 503 meanwhile, and only packets wait.
 */
const stages = [
  { name: 'gateway', receipt: 0.4, packet: 0.3, waits: 'nothing' },
  { name: 'ingest', receipt: 0, packet: 0.5, waits: 'packets' },
  { name: 'transform', receipt: 0, packet: 3, waits: 'packets' },
  { name: 'receipt-store', receipt: 0.65, packet: 0.65, waits: 'packets' },
  { name: 'identifier', receipt: 0.4, packet: 0.4, waits: 'all' },
  { name: 'delivery', receipt: 0.2, packet: 0.2, waits: 'all' },
];
const shares = { nothing: 0, packets: packetShare, all: 1 };

const rateAt = (second) => {
  const wave = 1 + (minuteFactor - 1) * Math.sin((second / 3_600) * 2 * Math.PI);
  return ((receiptsPerDay * hours[Math.floor(second / 3_600) % 24]) / sumOfHours / 3_600) * wave;
};
const day = Array.from({ length: 86_400 }, (_, second) => rateAt(second));
const peak = day.reduce((most, rate) => Math.max(most, rate), 0);
const busiestSecond = hours.indexOf(Math.max(...hours)) * 3_600;

function simulate({ name, receipt, packet, waits }) {
  /** A receipt's average share of what this process does. */
  const cpuMs = receipt * (1 - packetShare) + packet * packetShare;
  // Two at least, so that one may stop.
  const processes = Math.max(2, Math.ceil((peak * cpuMs) / 1_000 / fill));
  const receiptsPerSecond = (processes * 1_000) / cpuMs;
  let waiting = 0;
  let most = 0;
  let emptyAt = busiestSecond;
  for (let second = busiestSecond; second < day.length; second++) {
    const isStanding = second < busiestSecond + outageS;
    // What is left of its time when those are served that do not wait.
    const able = isStanding ? 0 : receiptsPerSecond - day[second] * (1 - shares[waits]);
    waiting = Math.max(0, waiting + day[second] * shares[waits] - able);
    most = Math.max(most, waiting);
    if (waiting > 0) emptyAt = second;
  }
  return {
    process: name,
    count: processes,
    'receipts/s': Math.round(receiptsPerSecond),
    'full at peak': `${Math.round((peak / receiptsPerSecond) * 100)} %`,
    'waiting at most': Math.round(most).toLocaleString('en'),
    'empty again after, min': most === 0 ? '-' : Math.ceil((emptyAt - busiestSecond - outageS) / 60),
  };
}

console.log(
  `${Math.round(receiptsPerDay).toLocaleString('en')} receipts on the busiest day, ${Math.round(peak)}/s in its busiest minute`,
);
console.table(stages.map(simulate));
