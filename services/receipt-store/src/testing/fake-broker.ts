import type {
  BatchHandler,
  Call,
  CloudEvent,
  Contract,
  EventRecord,
  Handler,
  Input,
  PrintedEvent,
  Reply,
} from '@receipts/kernel';
import { ServiceError } from '@receipts/kernel';
import { readEvent } from '@receipts/testing';
import type { Broker, Consumer, ServeOptions, SubscribeOptions } from '@receipts/messaging';

type Answering = (body: never, call: Call) => unknown;

const consumer: Consumer = { close: () => Promise.resolve() };

/** Plays the broker and the other services, for tests of what this service does by itself. */
export class FakeBroker {
  readonly published: CloudEvent[] = [];
  /** What only our own services get. */
  readonly figures: EventRecord[] = [];
  readonly asked: { readonly name: string; readonly body: unknown; readonly call: Call }[] = [];
  /** How other services answer, by the name of the contract. */
  readonly answers = new Map<string, Answering>();
  /** True while nothing that is published gets through. */
  isAway = false;
  private readonly handlers = new Map<string, Handler | BatchHandler>();
  private readonly subscriptions: SubscribeOptions[] = [];

  readonly broker = {
    state: 'up',
    ask: async (contract: Contract, input: { body?: unknown }, call: Call) => {
      this.asked.push({ name: contract.name, body: input.body, call });
      const answer = this.answers.get(contract.name);
      if (!answer)
        throw new ServiceError({ status: 503, code: 'unavailable', description: 'nobody serves it' });
      return { body: await answer(input.body as never, call), meta: undefined, replayed: false };
    },
    publish: (events: readonly PrintedEvent[]) => {
      if (this.isAway) return Promise.resolve(events.map(() => false));
      for (const event of events) (event.isInternal ? this.figures : this.published).push(readEvent(event));
      return Promise.resolve(events.map(() => true));
    },
    serve: (options: ServeOptions<Record<string, Contract>>) => {
      for (const [key, contract] of Object.entries(options.contracts)) {
        this.handlers.set(contract.name, options.handlers[key] as Handler | BatchHandler);
      }
      return Promise.resolve(consumer);
    },
    subscribe: (options: SubscribeOptions) => {
      this.subscriptions.push(options);
      return Promise.resolve(consumer);
    },
    onUp: () => () => undefined,
  } as unknown as Broker;

  /** Calls the service's own handler, as the gateway would through the broker. */
  async call<C extends Contract>(contract: C, input: Partial<Input<C>>, call: Call): Promise<Reply<C>> {
    const [outcome] = await this.callAll(contract, [{ input, call }]);
    if (outcome instanceof ServiceError) throw outcome;
    return outcome as Reply<C>;
  }

  /** Several requests at once: one batch where the handler takes batches. */
  async callAll<C extends Contract>(
    contract: C,
    items: readonly { readonly input: Partial<Input<C>>; readonly call: Call }[],
  ): Promise<readonly (Reply<C> | ServiceError)[]> {
    const handler = this.handlers.get(contract.name);
    if (!handler) throw new Error(`nobody handles ${contract.name}`);
    if (typeof handler !== 'function')
      return (await handler.batch(items as never)) as (Reply<C> | ServiceError)[];
    return Promise.all(
      items.map(({ input, call }) =>
        handler(input as never, call).catch((error: unknown) => {
          if (error instanceof ServiceError) return error;
          throw error;
        }),
      ),
    ) as Promise<(Reply<C> | ServiceError)[]>;
  }

  /** Delivers an event to whoever has subscribed to its type. */
  async deliver(event: Pick<CloudEvent, 'type' | 'data'>): Promise<void> {
    for (const { contracts, handle } of this.subscriptions.flatMap(({ subscriptions }) => subscriptions)) {
      if (contracts.some(({ type }) => type === event.type)) await handle([event as CloudEvent]);
    }
  }
}
