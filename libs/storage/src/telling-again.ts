import type { Call } from '@receipts/kernel';

/** What was told of one thing. */
export interface Told {
  /** What it is to be asked for by. */
  readonly id: string;
  /** When it happened. */
  readonly at: string;
  readonly events: readonly string[];
}

export interface ToldPage {
  readonly told: readonly Told[];
  /** Where the next page begins. */
  readonly next: string;
  readonly more: boolean;
}

/** Where what was told the world can be had once more, with the ids that it had. */
export interface ToldSource {
  /**
   * Of the call's retailer: what was told behind a place, in the order in which it was told. What has just been told is left to a
   * later page, as it may be on its way; what was told shortly before the end may come once more.
   * @param after null for the present end
   */
  list(after: string | null, count: number, call: Call): Promise<ToldPage>;
  /** The JSON of the events of some of it. */
  again(ids: readonly string[], call: Call): Promise<readonly string[]>;
}

/** Events are usually where they belong after so long. */
export const onTheWayMs = 3_000;
/** Clocks differ, and what is told is seen only a little later. */
export const unsettledMs = 60_000;

/** Where each source is read on, and which of them is being read. */
interface Place {
  readonly source: number;
  readonly places: string[];
}

const printPlace = ({ source, places }: Place) => JSON.stringify([source, ...places]);
function readPlace(text: string): Place {
  const [source, ...places] = JSON.parse(text) as [number, ...string[]];
  return { source, places };
}

interface ListInput {
  readonly body: { readonly after: string | null; readonly count: number };
}

interface AgainInput {
  readonly body: { readonly ids: readonly string[] };
}

/** What a service answers to those who have missed something, of all that it tells the world from. */
export function tellingAgain(sources: readonly ToldSource[]) {
  return {
    async listToldEvents({ body: { after, count } }: ListInput, call: Call) {
      if (after === null) {
        const ends = await Promise.all(sources.map((source) => source.list(null, count, call)));
        const next = printPlace({ source: 0, places: ends.map((end) => end.next) });
        return { body: { told: [], next, more: false } };
      }
      const { source: first, places } = readPlace(after);
      const told: Told[] = [];
      // One after the other: a source that has come to its end is not read again before the others have.
      for (let n = first; n < sources.length; n++) {
        const room = count - told.length;
        if (room === 0) return { body: { told, next: printPlace({ source: n, places }), more: true } };
        const page = await sources[n]!.list(places[n] ?? null, room, call);
        told.push(...page.told);
        places[n] = page.next;
        if (page.more) return { body: { told, next: printPlace({ source: n, places }), more: true } };
      }
      return { body: { told, next: printPlace({ source: 0, places }), more: false } };
    },
    async tellEventsAgain({ body: { ids } }: AgainInput, call: Call) {
      const texts = await Promise.all(sources.map((source) => source.again(ids, call)));
      return { body: Buffer.from(`{"events":[${texts.flat().join(',')}]}`) };
    },
  };
}
