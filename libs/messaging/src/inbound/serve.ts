import type { BatchHandler, Contract, Handler, Handlers } from '@receipts/kernel';
import { CommandConsumer } from './command-consumer';
import { RpcServer, type ReplySender } from './rpc-server';
import type { ServedContract } from './handler-queue';
import { graceDefaultMs, type Serving } from './queue-consumer';

/** Consumes one or more queues. */
export interface Consumer {
  /** Stops consuming, finishes and answers the started items, and returns the rest to the broker. */
  close(graceMs?: number): Promise<void>;
}

export interface ServeOptions<T extends Record<string, Contract>> {
  /** The service that owns the queues, which is the first part of the contracts' names. */
  readonly owner: string;
  readonly contracts: T;
  readonly handlers: Handlers<T>;
  /** Maximum items per call of a batch handler; default 256. */
  readonly batchMax?: number;
  /** Concurrent calls of single-item handlers per contract, for all contracts or by name; default 128. */
  readonly concurrency?: number | { readonly [K in keyof T]?: number };
}

export function servedContracts<T extends Record<string, Contract>>(
  options: ServeOptions<T>,
): readonly ServedContract[] {
  const { contracts, handlers, batchMax, concurrency } = options;
  return Object.entries(contracts).map(([key, contract]) => ({
    ...{ contract, batchMax, handler: handlers[key] as Handler | BatchHandler },
    concurrency: typeof concurrency === 'object' ? concurrency[key] : concurrency,
  }));
}

/** Serves the contracts of one owner from its queues: RPC commands, RPC queries and confirmed commands. */
export async function serve<T extends Record<string, Contract>>(
  serving: Serving,
  replySender: ReplySender,
  options: ServeOptions<T>,
): Promise<Consumer> {
  const { owner } = options;
  const contracts = servedContracts(options);
  const commands = contracts.filter(({ contract }) => contract.kind === 'command');
  const consumers: (RpcServer | CommandConsumer)[] = [new RpcServer(serving, replySender, owner, contracts)];
  if (commands.length > 0) consumers.push(new CommandConsumer(serving, owner, commands));
  await Promise.all(consumers.map((consumer) => consumer.start()));
  return {
    async close(graceMs = graceDefaultMs) {
      await Promise.all(consumers.map((consumer) => consumer.close(graceMs)));
    },
  };
}
