import type { Call } from '@receipts/kernel';

/** Published events that are requested again together, such as those of a document. */
export interface PublishedEntry {
  /** The id by which the events are requested. */
  readonly id: string;
  /** When the events occurred. */
  readonly at: string;
  readonly events: readonly string[];
}

export interface PublishedPage {
  readonly entries: readonly PublishedEntry[];
  /** The cursor of the next page. */
  readonly next: string;
  readonly more: boolean;
}

/** A source of published events that can be requested again with their original ids. */
export interface PublishedEventSource {
  /**
   * Lists the published events of the call's retailer after a cursor, in order of publication. The newest events
   * are left to a later page, because they may still be in transit. Events shortly before the end may be listed again.
   * @param after null for the current end
   */
  list(after: string | null, count: number, call: Call): Promise<PublishedPage>;
  /** The JSON of the events with these ids, and of those about subjects with these ids. */
  find(ids: readonly string[], call: Call): Promise<readonly string[]>;
}

/** After this time, events have usually reached their consumers. */
export const inTransitMs = 3_000;
/** The next page starts this far back, because clocks differ and a published event becomes visible with a delay. */
export const cursorOverlapMs = 60_000;

/** The cursor of each source, and the index of the source that is being read. */
interface SourceCursors {
  readonly source: number;
  readonly cursors: string[];
}

const printCursors = ({ source, cursors }: SourceCursors) => JSON.stringify([source, ...cursors]);
function parseCursors(text: string): SourceCursors {
  const [source, ...cursors] = JSON.parse(text) as [number, ...string[]];
  return { source, cursors };
}

interface ListInput {
  readonly body: { readonly after: string | null; readonly count: number };
}

interface FindInput {
  readonly body: { readonly ids: readonly string[] };
}

/** The handlers for consumers that have missed events. They cover all sources of a service. */
export function publishedEventHandlers(sources: readonly PublishedEventSource[]) {
  return {
    async listPublishedEvents({ body: { after, count } }: ListInput, call: Call) {
      if (after === null) {
        const ends = await Promise.all(sources.map((source) => source.list(null, count, call)));
        const next = printCursors({ source: 0, cursors: ends.map((end) => end.next) });
        return { body: { entries: [], next, more: false } };
      }
      const { source: first, cursors } = parseCursors(after);
      const entries: PublishedEntry[] = [];
      // Sources are read one after another: a source that has reached its end is not read again before the others have
      // reached theirs.
      for (let n = first; n < sources.length; n++) {
        const room = count - entries.length;
        if (room === 0) return { body: { entries, next: printCursors({ source: n, cursors }), more: true } };
        const page = await sources[n]!.list(cursors[n] ?? null, room, call);
        entries.push(...page.entries);
        cursors[n] = page.next;
        if (page.more) return { body: { entries, next: printCursors({ source: n, cursors }), more: true } };
      }
      return { body: { entries, next: printCursors({ source: 0, cursors }), more: false } };
    },
    async findPublishedEvents({ body: { ids } }: FindInput, call: Call) {
      const texts = await Promise.all(sources.map((source) => source.find(ids, call)));
      return { body: Buffer.from(`{"events":[${texts.flat().join(',')}]}`) };
    },
  };
}
