// Computes how many processes a given number of receipts per day requires, and how queues grow if a service is down at
// the worst time:
//   node deploy/capacity/simulate.mjs --receipts 50000000 --packets 0.5 --busiest 2
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    /** Receipts per day, both structured and raw. */
    receipts: { type: 'string', default: '50000000' },
    /** The share of raw packets. */
    packets: { type: 'string', default: '0.5' },
    /** The load of the busiest day of the year, relative to an average day. */
    busiest: { type: 'string', default: '2' },
    /**
     * The maximum utilization of a process in the busiest minute. The rest is reserved for the failure of another
     * process.
     */
    fill: { type: 'string', default: '0.6' },
    /** How many minutes a service is down, from the start of the busiest hour. */
    outage: { type: 'string', default: '10' },
  },
});
const receiptsPerDay = Number(values.receipts) * Number(values.busiest);
const packetShare = Number(values.packets);
const fill = Number(values.fill);
const outageS = Number(values.outage) * 60;

/** The relative load of each hour of a day, starting at midnight. The values are normalized by their sum. */
const hours = [1, 0.5, 0.3, 0.3, 0.5, 1, 3, 5, 6, 7, 8, 9, 10, 9, 7, 7, 8, 9, 10, 8, 5, 3, 2, 1];
const sumOfHours = hours.reduce((sum, share) => sum + share, 0);
/** The load of the busiest minute of an hour, relative to the hour's average. */
const minuteFactor = 1.5;

/**
 * The CPU time in milliseconds that a process of each service uses per receipt and per packet, measured under load on
 * the machine of docs/reports/bench.md. `waits` is the load that is queued during an outage. A till that posts a
 * structured receipt waits for receipt-store and gets 503 during its outage, so only packets are queued there.
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
  /** The average CPU time per receipt. */
  const cpuMs = receipt * (1 - packetShare) + packet * packetShare;
  // At least two, so that one may fail.
  const processes = Math.max(2, Math.ceil((peak * cpuMs) / 1_000 / fill));
  const receiptsPerSecond = (processes * 1_000) / cpuMs;
  let waiting = 0;
  let most = 0;
  let emptyAt = busiestSecond;
  for (let second = busiestSecond; second < day.length; second++) {
    const isStanding = second < busiestSecond + outageS;
    // After the outage, receipts that are not queued are served first; the rest of the capacity is available for the
    // queue.
    const able = isStanding ? 0 : receiptsPerSecond - day[second] * (1 - shares[waits]);
    waiting = Math.max(0, waiting + day[second] * shares[waits] - able);
    most = Math.max(most, waiting);
    if (waiting > 0) emptyAt = second;
  }
  return {
    process: name,
    count: processes,
    'receipts/s': Math.round(receiptsPerSecond),
    'peak utilization': `${Math.round((peak / receiptsPerSecond) * 100)} %`,
    'longest queue': Math.round(most).toLocaleString('en'),
    'recovery, min': most === 0 ? '-' : Math.ceil((emptyAt - busiestSecond - outageS) / 60),
  };
}

console.log(
  `${Math.round(receiptsPerDay).toLocaleString('en')} receipts on the busiest day, ${Math.round(peak)}/s in its busiest minute`,
);
console.table(stages.map(simulate));
