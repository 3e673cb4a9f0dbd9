import { silentLog, until } from '@receipts/testing';
import { WebhookDispatcher, type DispatcherDependencies } from './webhook-dispatcher';
import type { EndpointLeaseDocument } from '../storage/endpoint-leases';

/** Endpoints with one due delivery each, whose attempts wait for the end of the test. */
function world(due: { readonly retailer: string; readonly count: number; readonly isFailing?: boolean }[]) {
  const leases = due.flatMap(({ retailer, count, isFailing = false }) =>
    Array.from({ length: count }, (_, n): EndpointLeaseDocument => ({
      _id: `${retailer}-${n}`,
      retailer,
      owner: '',
      leaseUntil: new Date(0),
      wakes: 1,
      failingSince: isFailing ? new Date(0) : null,
    })),
  );
  const attempted: Record<string, number> = {};
  let open!: () => void;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const served = new Set<string>();
  const deps = {
    endpointLeases: {
      acquire: (_owner, _now, { failing, except, exceptRetailers }) =>
        Promise.resolve(
          leases.find(
            ({ _id, retailer, failingSince }) =>
              !served.has(_id) &&
              !except.includes(_id) &&
              !exceptRetailers.includes(retailer) &&
              (failing || failingSince === null),
          ) ?? null,
        ),
      find: () => Promise.resolve(null),
    } as Partial<DispatcherDependencies['endpointLeases']>,
    deliveryQueue: {
      claimDue: ({ endpointId, retailer }) => {
        if (served.has(endpointId)) return Promise.resolve(null);
        served.add(endpointId);
        return Promise.resolve({ endpointId, retailer });
      },
    } as Partial<DispatcherDependencies['deliveryQueue']>,
    attempts: {
      attempt: ({ retailer }) => {
        attempted[retailer] = (attempted[retailer] ?? 0) + 1;
        return gate;
      },
    } as DispatcherDependencies['attempts'],
    log: silentLog,
    now: () => new Date(),
  };
  const dispatcher = new WebhookDispatcher(deps as unknown as DispatcherDependencies);
  return { dispatcher, attempted, open };
}

it('serves a retailer while another has more slow endpoints than a process can serve', async () => {
  const { dispatcher, attempted, open } = world([
    { retailer: 'slow', count: 300 },
    { retailer: 'other', count: 3 },
  ]);
  dispatcher.wake();
  await until('the attempts of the other retailer', () => attempted['other'] === 3);
  expect(attempted['slow']).toBe(128);
  open();
  await dispatcher.stop();
});

it('serves working endpoints while more are failing than a process serves', async () => {
  const { dispatcher, attempted, open } = world([
    { retailer: 'failing', count: 100, isFailing: true },
    { retailer: 'working', count: 5 },
  ]);
  dispatcher.wake();
  await until('the attempts of the working endpoints', () => attempted['working'] === 5);
  expect(attempted['failing']).toBe(64);
  open();
  await dispatcher.stop();
});
