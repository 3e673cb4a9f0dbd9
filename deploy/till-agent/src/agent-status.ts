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

export interface StatusParts {
  readonly queue: JobQueue;
  readonly taker: Pick<JobTaker, 'taken'>;
  readonly sender: Pick<Sender, 'accepted' | 'refused' | 'trouble' | 'lastRefusal'>;
  readonly printer: Pick<Printer, 'trouble' | 'printed' | 'givenUp' | 'waiting'> | undefined;
  readonly links: Pick<LinkStock, 'size' | 'trouble'> | undefined;
  readonly watched: Pick<WatchedFolder, 'trouble'> | undefined;
}

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

function slips({ queue }: StatusParts): StatusLine {
  const name = 'Slips';
  if (queue.refusal === 'queue_full')
    return {
      name,
      lamp: 'red',
      text: `The queue is full: ${queue.length} slips are waiting. No further slips are accepted.`,
    };
  if (queue.length > 0)
    return {
      name,
      lamp: 'yellow',
      text: `${count(queue.length, 'slip is waiting', 'slips are waiting')} to be sent.`,
    };
  return { name, lamp: 'green', text: 'All slips have been sent.' };
}

function platform({ sender: { trouble } }: StatusParts): StatusLine {
  const name = 'Platform';
  if (!trouble) return { name, lamp: 'green', text: 'No trouble.' };
  return trouble.cause === 'settings'
    ? {
        name,
        lamp: 'red',
        text: `Check the address, key and secret. The platform responds: ${trouble.reason}`,
      }
    : {
        name,
        lamp: 'yellow',
        text: `The platform cannot be reached. Slips are sent later. ${trouble.reason}`,
      };
}

function refused({ queue, sender: { lastRefusal } }: StatusParts): StatusLine {
  const name = 'Put aside';
  const { size } = queue.refused;
  if (size === 0) return { name, lamp: 'green', text: 'No slips.' };
  return {
    name,
    lamp: 'red',
    text:
      `The platform has rejected ${count(size, 'slip')}, now in the folder "refused" with the reasons. ` +
      (lastRefusal === undefined ? '' : `The last one: ${lastRefusal}`),
  };
}

function disk({ queue }: StatusParts): StatusLine {
  const name = 'Disk';
  if (queue.diskError === undefined) return { name, lamp: 'green', text: 'Slips can be stored.' };
  return { name, lamp: 'red', text: `Slips cannot be stored, so none are accepted: ${queue.diskError}` };
}

function printer({ printer: found }: StatusParts): StatusLine[] {
  if (!found) return [];
  const name = 'Printer';
  if (found.trouble === undefined)
    return [{ name, lamp: 'green', text: `${count(found.printed, 'slip')} printed.` }];
  return [
    {
      name,
      lamp: 'yellow',
      text: `${found.trouble}. ${count(found.waiting, 'slip is waiting', 'slips are waiting')}, ${found.givenUp} were not printed.`,
    },
  ];
}

function links({ links: stock }: StatusParts): StatusLine[] {
  if (!stock) return [];
  const trouble = stock.trouble === undefined ? '' : ` ${stock.trouble}`;
  return [
    {
      name: 'QR codes',
      lamp: stock.size === 0 || stock.trouble !== undefined ? 'yellow' : 'green',
      text: `${stock.size} of ${stockMax} links in stock.${trouble}`,
    },
  ];
}

function watched({ watched: folder }: StatusParts): StatusLine[] {
  if (!folder) return [];
  const name = 'Watched folder';
  return folder.trouble === undefined
    ? [{ name, lamp: 'green', text: 'No trouble.' }]
    : [{ name, lamp: 'yellow', text: `A file cannot be accepted: ${folder.trouble}` }];
}

/** Every part of the agent and its state. */
export function statusLines(parts: StatusParts): StatusLine[] {
  const required = [slips(parts), platform(parts), refused(parts), disk(parts)];
  return [...required, ...printer(parts), ...links(parts), ...watched(parts)];
}

/** The lamp of the whole agent: the worst of all lines. */
export function worstLamp(lines: readonly StatusLine[]): Lamp {
  const lamps = lines.map(({ lamp }) => lamp);
  return lamps.includes('red') ? 'red' : lamps.includes('yellow') ? 'yellow' : 'green';
}
