import {
  adminContracts,
  deliveryContracts,
  identifierContracts,
  ingestContracts,
  queueNotFound,
  receiptStoreContracts,
  subscriptionQueues,
  transformContracts,
} from '@receipts/contracts';
import { ServiceError, type Contract } from '@receipts/kernel';
import { commandQueue, integratorQueues, rpcQueue, standbyQueue } from '@receipts/messaging';

type Contracts = Readonly<Record<string, Contract>>;

const ownerOf = (contracts: Contracts): string => Object.values(contracts)[0]?.owner ?? '';

const contractsByOwner: readonly Contracts[] = [
  receiptStoreContracts,
  ingestContracts,
  transformContracts,
  deliveryContracts,
  identifierContracts,
  adminContracts,
];

/** The services that handle requests, according to their contracts. */
export const owners = contractsByOwner.map(ownerOf);

/** The services that handle commands for which no caller waits. */
const commandOwners = contractsByOwner
  .filter((contracts) => Object.values(contracts).some(({ oneWay }) => oneWay))
  .map(ownerOf);

const usualQueuesOf = (owner: string) => [rpcQueue(owner, 'command'), rpcQueue(owner, 'query')];

/** The queues that each process of a service consumes and that exist as long as most nodes of the broker do. */
export const standbyQueuesOf = (owner: string): readonly string[] => usualQueuesOf(owner).map(standbyQueue);

/** The request queues of a service. */
export const requestQueuesOf = (owner: string): readonly string[] => [
  ...usualQueuesOf(owner),
  ...standbyQueuesOf(owner),
];

export const requestQueues = owners.flatMap(requestQueuesOf);

/** The queues whose failed messages are retried and dead-lettered. */
export const retryingQueues: readonly string[] = [
  ...commandOwners.map(commandQueue),
  ...Object.values(subscriptionQueues),
].sort();

/** The names of the queues with dead letters. */
export const deadLetterSources: readonly string[] = [...retryingQueues, integratorQueues].sort();

/** @throws ServiceError 404 if no queue with dead letters has this name */
export function checkQueue(queue: string): void {
  if (!deadLetterSources.includes(queue)) throw new ServiceError(queueNotFound);
}

/** What operators see as one queue. */
export interface WatchedQueue {
  /** The name in addresses. */
  readonly name: string;
  readonly title: string;
  /** The queues whose messages services consume. */
  readonly consumed: readonly string[];
  /** Whether failed messages are retried, and become dead letters. */
  readonly isRetried: boolean;
}

/** The requests to a service take several queues, which are shown together. */
const requestsTo = (owner: string): WatchedQueue => ({
  name: rpcQueue(owner, 'command'),
  title: `requests to ${owner}`,
  consumed: requestQueuesOf(owner),
  isRetried: false,
});

/** The queues of the operations pages. */
export const watchedQueues: readonly WatchedQueue[] = [
  ...retryingQueues.map((name) => ({ name, title: name, consumed: [name], isRetried: true })),
  ...owners.map(requestsTo),
];

/** @throws ServiceError 404 if no queue of the pages has this name */
export function watchedQueue(name: string): WatchedQueue {
  const found = watchedQueues.find((queue) => queue.name === name);
  if (!found) throw new ServiceError(queueNotFound);
  return found;
}
