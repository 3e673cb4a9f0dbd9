import { parseArgs } from 'node:util';
import { startRabbit } from '@receipts/testing';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { faults, slowMailServer, type Fault, type Ground } from './faults';
import { faultOf, hostileClasses } from './hostile';
import { Ledger, type Findings } from './ledger';
import { aReceipt } from '../harness/receipts';
import { quorumDrill } from './quorum';
import { securedDrill } from './secured';

/**
 * `npm run drill`: breaks one part after the other of a platform of its own while tills post, and compares every answer with
 * what is stored afterwards. `--long` does each five times and lets what hangs hang for a minute; `--only broker` does those
 * whose name has the word.
 * `npm run drill -- quorum`: three brokers of which two are lost for a while.
 * `npm run drill -- secured`: users of least rights at the broker, HTTPS, amqps and TLS to the database.
 * `npm run drill -- hostile`: requests that nobody means well by, and how they are answered.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});

const tills = 4;
const beforeMs = 1_000;
const warmUpCount = 20;
const shortFrozenMs = 5_000;
const longFrozenMs = 60_000;
const longTimes = 5;

interface Row extends Findings {
  readonly name: string;
  readonly times: number;
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function drillOf(ground: Ground, fault: Fault, times: number): Promise<Row> {
  const retailer = await newRetailer(ground.platform.baseUrl, ground.platform.secrets.operatorToken);
  const ledger = new Ledger(retailer.api, { tills, ...fault.traffic });
  const flowing = async () => {
    for (const goal = ledger.count + warmUpCount; ledger.count < goal;) await pause(beforeMs / 10);
  };
  for (let n = 0; n < times; n++) {
    await flowing();
    await fault.inflict(ground);
  }
  await flowing();
  return { name: fault.name, times, ...(await ledger.close()) };
}

const columns = [
  'fault',
  'times',
  'requests',
  'lost',
  'doubled',
  'wrong',
  'p99',
  'longest without an answer',
];

function rowOf({ name, times, requests, lost, doubled, wrong, p99Ms, outageSeconds }: Row): string {
  const cells = [
    ...[name, times, requests, lost, doubled, wrong],
    ...[`${Math.round(p99Ms)} ms`, `${outageSeconds.toFixed(1)} s`],
  ];
  return `| ${cells.join(' | ')} |`;
}

async function faultsDrill(): Promise<boolean> {
  const mail = await slowMailServer();
  const rabbit = await startRabbit({ schedulers: 2 });
  const platform = await ownPlatform(
    { env: { SMTP_URL: `smtp://127.0.0.1:${mail.port}` } },
    { AMQP_URL: rabbit.url },
  );
  const rows: Row[] = [];
  try {
    const neighbour = await newRetailer(platform.baseUrl, platform.secrets.operatorToken);
    const wanted = faults(values.long ? longFrozenMs : shortFrozenMs).filter(({ name }) =>
      name.includes(values.only),
    );
    if (wanted.length === 0) throw new Error(`no fault has ${values.only} in its name`);
    say(`| ${columns.join(' | ')} |`);
    say(`|${columns.map(() => ' --- ').join('|')}|`);
    for (const fault of wanted) {
      const row = await drillOf({ platform, rabbit, neighbour }, fault, values.long ? longTimes : 1);
      rows.push(row);
      say(rowOf(row));
    }
  } finally {
    await discard(platform);
    await rabbit.dispose();
    mail.server.close();
  }
  return rows.every(({ lost, doubled, wrong }) => lost + doubled + wrong === 0);
}

async function hostileDrill(): Promise<boolean> {
  const platform = await ownPlatform();
  let failures = 0;
  try {
    const { baseUrl, secrets } = platform;
    const retailers = await Promise.all([1, 2].map(() => newRetailer(baseUrl, secrets.operatorToken)));
    const [retailer, other] = retailers as [TestRetailer, TestRetailer];
    const [own, foreign] = await Promise.all(retailers.map(({ api }) => api.post('/receipts', aReceipt())));
    const victims = { baseUrl, retailer, other, ownId: own?.body.id, foreignId: foreign?.body.id };
    say('| input | tried | held |\n| --- | --- | --- |');
    for (const { name, probes } of hostileClasses(victims)) {
      const faults: string[] = [];
      for (const probe of probes) {
        const fault = await probe.send().then((answer) => faultOf(probe, answer), String);
        if (fault !== undefined) faults.push(fault);
      }
      failures += faults.length;
      say(
        `| ${name} | ${probes.length} | ${probes.length - faults.length}${faults.map((fault) => `; ${fault}`).join('')} |`,
      );
    }
  } finally {
    await discard(platform);
  }
  return failures === 0;
}

async function main(): Promise<void> {
  const drills: Record<string, () => Promise<boolean>> = {
    quorum: () => quorumDrill(say).then(() => true),
    secured: () => securedDrill(say),
    hostile: hostileDrill,
    faults: faultsDrill,
  };
  const [name = 'faults'] = positionals;
  const drill = drills[name];
  if (!drill) throw new Error(`there is no drill ${name}: ${Object.keys(drills).join(', ')}`);
  const held = await drill();
  say(held ? 'Everything held.' : 'Not everything held.');
  process.exitCode = held ? 0 : 1;
}

void main();
