import { parseArgs } from 'node:util';
import { newRetailer, type TestRetailer } from '../harness/client';
import { discard, ownPlatform } from '../harness/own-platform';
import { aReceipt } from '../harness/receipts';
import { stages } from './all-stages';
import { dashboardDrill } from './dashboard';
import { FaultTable, longExtent, shortExtent } from './fault-table';
import { faultOf, hostileClasses } from './hostile';
import { quorumDrill } from './quorum';
import { recoveryDrill } from './recovery';
import { retryStormDrill } from './retry-storm';
import { securedDrill } from './secured';

/**
 * `npm run chaos`: injects one fault after the other into separate platforms while tills post, and compares all
 * responses with the stored data afterwards.
 * `--long` continues until 200 processes were killed and 100,000 receipts and packets posted; `--only broker` runs the
 * faults whose names contain the word; `--from v1.2.0` upgrades from that release.
 * `npm run chaos -- quorum`: three brokers, of which two fail for a while.
 * `npm run chaos -- secured`: least-privilege users at the broker, HTTPS, amqps and TLS to the database.
 * `npm run chaos -- hostile`: hostile requests and their responses.
 * `npm run chaos -- retry-storm`: five times as many receipts as are carried, each repeated until it is accepted.
 * `npm run chaos -- recovery`: broker, database and all services are killed at once; the stages until all works again.
 * `npm run chaos -- dashboard`: the dashboard's queries against a Prometheus that scrapes a platform in use.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    from: { type: 'string', default: '' },
  },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function faultsDrill(): Promise<boolean> {
  const chosen = stages(values.long, values.from)
    .map((stage) => ({ ...stage, faults: stage.faults.filter(({ name }) => name.includes(values.only)) }))
    .filter(({ faults }) => faults.length > 0);
  if (chosen.length === 0) throw new Error(`no fault has ${values.only} in its name`);
  const table = new FaultTable(say, values.long ? longExtent : shortExtent);
  for (const stage of chosen) await table.add(stage);
  return table.close();
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
    dashboard: () => dashboardDrill(say),
    'retry-storm': () => retryStormDrill(say),
    recovery: () => recoveryDrill(say),
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
