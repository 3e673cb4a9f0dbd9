import type { Call } from '@receipts/kernel';

/** Published events that are requested again together, such as those of a document. */
export interface Told {
  /** The id by which they are requested. */
  readonly id: string;
  /** When it happened. */
  readonly at: string;
  readonly events: readonly string[];
}

export interface ToldPage {
  readonly told: readonly Told[];
  /** The cursor of the next page. */
  readonly next: string;
  readonly more: boolean;
}

/** A source of published events that can be requested again with their original ids. */
export interface ToldSource {
  /**
   * Lists what was published for the call's retailer after a cursor, in the order of publication. The newest events
   * are left to a later page, because they may still be in transit. Events shortly before the end may be listed
   * again.
   * @param after null for the current end
   */
  list(after: string | null, count: number, call: Call): Promise<ToldPage>;
  /** The JSON of the events with these ids, and of those about subjects with these ids. */
  again(ids: readonly string[], call: Call): Promise<readonly string[]>;
}

/** After this time events have usually reached their consumers. */
export const onTheWayMs = 3_000;
/** The next page starts this far back, because clocks differ and a published event becomes visible with a delay. */
export const unsettledMs = 60_000;

/** The cursor of each source, and the index of the source that is being read. */
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

/** The handlers for consumers that have missed events. They cover all sources of a service. */
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
      // Sources are read one after another: one that has reached its end is not read again before the others have.
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
