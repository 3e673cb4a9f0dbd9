import { setTimeout as pause } from 'node:timers/promises';
import { newRetailer } from '../harness/client';
import { acceptPackets, Ledger, type Findings } from './ledger';
import { CannotRun, type Fault, type Print, type Scenario, type Target } from './scenario';

/** The size of a run. */
export interface Extent {
  readonly tills: number;
  /** The number of tills that send packets. */
  readonly packetTills: number;
  /** The number of receipts and packets accepted before and after each fault. */
  readonly between: number;
  readonly kills: number;
  readonly others: number;
}

export const shortExtent: Extent = { tills: 4, packetTills: 1, between: 20, kills: 1, others: 1 };
export const longExtent: Extent = { tills: 12, packetTills: 4, between: 160, kills: 8, others: 3 };

const countPollMs = 100;
const requestMsMax = 5_000;
const recoverySecondsMax = 2;
/** A shorter time without an accepted request needs no explanation. */
const outageSecondsToExplain = 5;

interface Row extends Findings {
  readonly name: string;
  readonly times: number;
  /** The longest time from the end of the fault until requests were accepted again. */
  readonly recoverySeconds: number;
  readonly remarks: readonly string[];
  readonly isRight: boolean;
}

async function rowOf(target: Target, fault: Fault, extent: Extent): Promise<Row> {
  const { name, isKill = false, once = false, outageSecondsMax = Infinity } = fault;
  const retailer = await newRetailer(target.baseUrl, target.platform.secrets.operatorToken);
  await acceptPackets(retailer.api);
  await fault.prepare?.(retailer.api);
  const { tills, packetTills, between, kills, others } = extent;
  const ledger = new Ledger(retailer.api, { tills, packetTills, ...fault.traffic });
  const flowing = async () => {
    for (const goal = ledger.count + between; ledger.count < goal;) await pause(countPollMs);
  };
  const times = once ? 1 : isKill ? kills : others;
  const remarks: string[] = [];
  let beganAt: number | undefined;
  let recoverySeconds = 0;
  for (let n = 0; n < times; n++) {
    await flowing();
    beganAt ??= performance.now();
    const remark = await fault.inject(target, ledger);
    if (remark) remarks.push(remark);
    recoverySeconds = Math.max(recoverySeconds, await ledger.secondsToNext());
  }
  await flowing();
  const findings = await ledger.close();
  const { lost, doubled, wrong, refused, outageSeconds } = findings;
  if (outageSeconds > outageSecondsToExplain) {
    const end = (findings.outageEndedAt - (beganAt ?? 0)) / 1_000;
    remarks.push(
      `no ${findings.outageOf} was accepted from ${(end - outageSeconds).toFixed(1)} to ${end.toFixed(1)} s after the fault`,
    );
  }
  const isRight =
    lost + doubled + wrong === 0 &&
    outageSeconds <= outageSecondsMax &&
    !(fault.refusesNothing && refused > 0);
  return { name, times, ...findings, recoverySeconds, remarks, isRight };
}

const columns = [
  'fault',
  'times',
  'requests',
  'refused',
  'lost',
  'doubled',
  'wrong',
  'p99',
  'slowest',
  'longest outage',
  'recovered after',
];

function printed(row: Row): string {
  const cells = [
    row.name,
    row.times,
    row.requests,
    row.refused,
    row.lost,
    row.doubled,
    row.wrong,
    `${Math.round(row.p99Ms)} ms`,
    `${(row.slowestMs / 1_000).toFixed(1)} s`,
    `${row.outageSeconds.toFixed(1)} s`,
    `${row.recoverySeconds.toFixed(1)} s`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The report of all faults, printed row by row. */
export class FaultReport {
  private readonly rows: Row[] = [];
  private readonly skipped: string[] = [];
  private killed = 0;

  constructor(
    private readonly print: Print,
    private readonly extent: Extent,
  ) {
    print(`| ${columns.join(' | ')} |`);
    print(`|${columns.map(() => ' --- ').join('|')}|`);
  }

  /** Runs the faults of one platform. Faults that are impossible on this machine are listed at the end. */
  async add({ open, faults }: Scenario): Promise<void> {
    const target = await open().catch((error: unknown) => {
      if (error instanceof CannotRun) return error;
      throw error;
    });
    if (target instanceof CannotRun) {
      for (const { name } of faults) this.skipped.push(`${name}: skipped, ${target.message}`);
      return;
    }
    try {
      for (const fault of faults) {
        const row = await rowOf(target, fault, this.extent);
        this.rows.push(row);
        if (fault.isKill) this.killed += row.times;
        this.print(printed(row));
      }
    } finally {
      await target.close();
    }
  }

  /** The names of the faults that passed, and of those that failed. */
  get results(): { readonly passed: readonly string[]; readonly failed: readonly string[] } {
    const named = (isRight: boolean) =>
      this.rows.filter((row) => row.isRight === isRight).map(({ name }) => name);
    return { passed: named(true), failed: named(false) };
  }

  /**
   * Prints the summary. Returns false if anything was lost, duplicated, wrong, or rejected although it should not have
   * been.
   */
  close(): boolean {
    const { rows, killed, print } = this;
    const accepted = rows.reduce((sum, row) => sum + row.accepted, 0);
    print(`${killed} kills, ${accepted} receipts and packets accepted`);
    for (const { name, remarks } of rows) for (const remark of remarks) print(`${name}: ${remark}`);
    const slow = rows.filter(({ slowestMs }) => slowestMs > requestMsMax);
    const late = rows.filter(({ recoverySeconds }) => recoverySeconds > recoverySecondsMax);
    const named = (found: readonly Row[]) => found.map(({ name }) => name).join(', ');
    if (slow.length > 0) print(`requests that took more than ${requestMsMax / 1_000} s: ${named(slow)}`);
    if (late.length > 0) print(`took more than ${recoverySecondsMax} s to recover: ${named(late)}`);
    for (const line of this.skipped) print(line);
    return rows.every(({ isRight }) => isRight);
  }
}
