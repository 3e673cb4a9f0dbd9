import type { JobQueue } from './job-queue';
import type { JobTaker } from './job-taker';
import { stockMax, type LinkStock } from './link-stock';
import type { Printer } from './printer';
import type { Sender } from './sender';
import type { WatchedFolder } from './watched-folder';

export type Lamp = 'green' | 'yellow' | 'red';

/** A line of the status page. */
export interface StatusLine {
  readonly name: string;
  readonly lamp: Lamp;
  readonly text: string;
}

export interface StatusOptions {
  readonly queue: JobQueue;
  readonly taker: Pick<JobTaker, 'taken'>;
  readonly sender: Pick<Sender, 'accepted' | 'refused' | 'trouble' | 'lastRefusal'>;
  readonly printer: Pick<Printer, 'trouble' | 'printed' | 'givenUp' | 'waiting'> | undefined;
  readonly links: Pick<LinkStock, 'size' | 'trouble'> | undefined;
  readonly watched: Pick<WatchedFolder, 'trouble'> | undefined;
}

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

const line = (name: string, lamp: Lamp, text: string): StatusLine => ({ name, lamp, text });
const noTrouble = 'No trouble.';

function slips({ queue: { refusal, length } }: StatusOptions): StatusLine {
  const name = 'Slips';
  if (refusal === 'queue_full')
    return line(
      name,
      'red',
      `The queue is full: ${length} slips are waiting. No further slips are accepted.`,
    );
  return length > 0
    ? line(name, 'yellow', `${count(length, 'slip is waiting', 'slips are waiting')} to be sent.`)
    : line(name, 'green', 'All slips have been sent.');
}

function platform({ sender: { trouble } }: StatusOptions): StatusLine {
  const name = 'Platform';
  if (!trouble) return line(name, 'green', noTrouble);
  const { cause, reason } = trouble;
  return cause === 'settings'
    ? line(name, 'red', `Check the address, key and secret. The platform responds: ${reason}`)
    : line(name, 'yellow', `The platform cannot be reached. Slips are sent later. ${reason}`);
}

function refused({ queue, sender: { lastRefusal } }: StatusOptions): StatusLine {
  const name = 'Put aside';
  const { size } = queue.refused;
  if (size === 0) return line(name, 'green', 'No slips.');
  const last = lastRefusal === undefined ? '' : `The last one: ${lastRefusal}`;
  const what = `The platform has rejected ${count(size, 'slip')}, now in the folder "refused" with the reasons.`;
  return line(name, 'red', `${what} ${last}`);
}

function disk({ queue: { diskError } }: StatusOptions): StatusLine {
  return diskError === undefined
    ? line('Disk', 'green', 'Slips can be stored.')
    : line('Disk', 'red', `Slips cannot be stored, so none are accepted: ${diskError}`);
}

function printer({ printer: found }: StatusOptions): StatusLine[] {
  if (!found) return [];
  const { trouble, printed, waiting, givenUp } = found;
  if (trouble === undefined) return [line('Printer', 'green', `${count(printed, 'slip')} printed.`)];
  const left = count(waiting, 'slip is waiting', 'slips are waiting');
  return [line('Printer', 'yellow', `${trouble}. ${left}, ${givenUp} were not printed.`)];
}

function links({ links: stock }: StatusOptions): StatusLine[] {
  if (!stock) return [];
  const { size, trouble } = stock;
  const lamp = size === 0 || trouble !== undefined ? 'yellow' : 'green';
  return [line('QR codes', lamp, `${size} of ${stockMax} links in stock. ${trouble ?? ''}`.trimEnd())];
}

function watched({ watched: folder }: StatusOptions): StatusLine[] {
  if (!folder) return [];
  const { trouble } = folder;
  return [
    trouble === undefined
      ? line('Watched folder', 'green', noTrouble)
      : line('Watched folder', 'yellow', `A file cannot be accepted: ${trouble}`),
  ];
}

/** Every part of the agent and its state. */
export function statusLines(options: StatusOptions): StatusLine[] {
  const required = [slips(options), platform(options), refused(options), disk(options)];
  return [...required, ...printer(options), ...links(options), ...watched(options)];
}

/** The lamp of the whole agent: the worst of all lines. */
export function worstLamp(lines: readonly StatusLine[]): Lamp {
  const lamps = lines.map(({ lamp }) => lamp);
  return lamps.includes('red') ? 'red' : lamps.includes('yellow') ? 'yellow' : 'green';
}
