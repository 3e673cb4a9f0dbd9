import { parseArgs } from 'node:util';
import { cluster } from './cluster';
import { dashboard } from './dashboard';
import { FaultReport, longExtent, shortExtent } from './fault-report';
import { hostileInput } from './hostile-input';
import { quorum } from './quorum';
import { recovery } from './recovery';
import { retryStorm } from './retry-storm';
import type { Print } from './scenario';
import { scenarios } from './scenarios';
import { secured } from './secured';

/**
 * `npm run chaos`: injects one fault after another into separate platforms while tills post, and compares all responses
 * with the stored data afterwards. `--long` continues until 200 processes have been killed and 100,000 receipts and
 * packets posted; `--only broker` runs the faults whose names contain the word; `--from v1.2.0` upgrades from that
 * release.
 * `npm run chaos -- cluster`: three brokers, of which one at a time is killed, frozen, cut off or replaced (root only).
 * `npm run chaos -- quorum`: three brokers, two of which fail temporarily. `npm run chaos -- secured`: least-privilege
 * broker users, HTTPS, amqps and TLS to the database. `npm run chaos -- hostile`: hostile requests and their responses.
 * `npm run chaos -- retry-storm`: five times as many receipts as the platform can accept, each retried until it is
 * accepted. `npm run chaos -- recovery`: broker, database and all services are killed at once; the stages until
 * everything works again. `npm run chaos -- dashboard`: the dashboard's queries against a Prometheus that scrapes a
 * platform in use.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    from: { type: 'string', default: '' },
  },
});

async function faults(print: Print): Promise<boolean> {
  const chosen = scenarios(values.long, values.from)
    .map((scenario) => ({
      ...scenario,
      faults: scenario.faults.filter(({ name }) => name.includes(values.only)),
    }))
    .filter((scenario) => scenario.faults.length > 0);
  if (chosen.length === 0) throw new Error(`no fault has ${values.only} in its name`);
  const report = new FaultReport(print, values.long ? longExtent : shortExtent);
  for (const scenario of chosen) await report.add(scenario);
  return report.close();
}

const experiments: Readonly<Record<string, (print: Print) => Promise<boolean>>> = {
  cluster: (print) => cluster(print, values.only),
  faults,
  quorum,
  secured,
  dashboard,
  recovery,
  hostile: hostileInput,
  'retry-storm': retryStorm,
};

async function main(): Promise<void> {
  const print: Print = (line) => void process.stdout.write(`${line}\n`);
  const [name = 'faults'] = positionals;
  const experiment = experiments[name];
  if (!experiment) throw new Error(`there is no ${name}: ${Object.keys(experiments).join(', ')}`);
  const held = await experiment(print);
  print(held ? 'Everything held.' : 'Not everything held.');
  process.exitCode = held ? 0 : 1;
}

void main();
