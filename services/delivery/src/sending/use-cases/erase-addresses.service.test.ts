import { deliveryEvents } from '@receipts/contracts';
import { eventOf, newId, ServiceError } from '@receipts/kernel';
import { outboxItem, type OutboxItem, type WithOutbox } from '@receipts/storage';
import { callOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';
import { eraseAddresses, type AddressErasure } from './erase-addresses';

const receiptId = newId();
const body = { receipts: [receiptId] };

describe('events that are being published', () => {
  /** @param looks how often the events of deliveries, and then of views, are reported as unpublished */
  function erasure(looks: { deliveries: number; views: number }) {
    const steps: string[] = [];
    const step = <T>(name: string, outcome: T) => {
      steps.push(name);
      return Promise.resolve(outcome);
    };
    const deps: AddressErasure = {
      deliveries: {
        eraseAddresses: () => step('addresses', undefined),
        ofReceipts: () => step('ids', [{ _id: 'd1', receiptId, status: 'sent' as const }]),
        toPerson: () => step('person', []),
        forgetPerson: () => step('forget', undefined),
        hasUnpublishedEvents: () => step('look', looks.deliveries-- > 0),
        expedite: () => step('expedite', undefined),
        removeEnded: () => step('remove', undefined),
      },
      receiptErasures: {
        count: () => step('count', undefined),
        deletionsHandled: () => Promise.resolve(),
        withDeletionHandled: () => Promise.resolve(new Set()),
        find: () => Promise.resolve({ times: 0 }),
      },
      views: {
        hasUnpublishedEvents: () => step('look', looks.views-- > 0),
        remove: () => step('remove', undefined),
      },
      recipients: { forget: () => step('recipients', undefined) },
      proofs: { remove: () => step('remove', undefined) },
      keptEvents: { forget: (_retailer, about) => step(`published ${about.join(' ')}`, undefined) },
      erasableEvents: { forget: () => step('log', []) },
      webhookDeliveries: { eraseResponses: () => step('answers', undefined) },
      now: () => new Date(),
    };
    return { steps, forget: () => eraseAddresses(deps)({ body } as never, callOf('shop')) };
  }

  it('are awaited before the copies of published events are erased', async () => {
    const { steps, forget } = erasure({ deliveries: 2, views: 1 });
    await forget();
    expect(steps.filter((name) => name === 'look')).toHaveLength(6);
    expect(steps.filter((name) => name !== 'look')).toEqual([
      'count',
      'ids',
      'addresses',
      `published ${receiptId} d1`,
      'log',
      'answers',
      'forget',
      'recipients',
    ]);
    expect(steps.lastIndexOf('look')).toBeLessThan(steps.indexOf(`published ${receiptId} d1`));
  });

  it('delay the erasure, which is retried, while they cannot be published', async () => {
    const { steps, forget } = erasure({ deliveries: Infinity, views: 0 });
    await expect(forget()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    expect(steps.some((name) => name.startsWith('published'))).toBe(false);
  });
});

describe('events that a process left unpublished', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  /** Documents with events left behind by a process, with the id of each. */
  async function left(retailer: string) {
    const call = callOf(retailer);
    const at = new Date(Date.now() - 60_000);
    const view = { subject: receiptId, sequence: 1, data: { id: receiptId } as never };
    const delivery = { subject: newId(), sequence: 2, data: { receipt_id: receiptId } as never };
    const viewItem = outboxItem(eventOf(deliveryEvents.receiptViewed, view, call, at));
    const deliveryItem = outboxItem(eventOf(deliveryEvents.deliverySent, delivery, call, at));
    interface Left extends WithOutbox {
      readonly _id: string;
      readonly retailer: string;
      readonly receiptId: string;
    }
    const insert = (name: string, _id: string, item: OutboxItem) =>
      world.database.db.collection<Left>(name).insertOne({ _id, retailer, receiptId, outbox: [item] });
    await insert('receipt_views', `${retailer}|${receiptId}`, viewItem);
    await insert('deliveries', delivery.subject, deliveryItem);
    return [viewItem.id, deliveryItem.id];
  }

  it('are published, and not kept, when the erasure is retried', async () => {
    const retailer = `r-${newId()}`;
    const ids = await left(retailer);
    // Simulates a retried erasure.
    await world.until('the consumer was erased', async () => {
      try {
        await world.ask('eraseAddresses', { body }, callOf(retailer));
        return true;
      } catch (error) {
        if (error instanceof ServiceError && error.status === 503) return false;
        throw error;
      }
    });
    expect(world.events.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(await world.database.db.collection('kept_events').countDocuments({ retailer })).toBe(0);
    for (const name of ['receipt_views', 'deliveries']) {
      const pending = { retailer, 'outbox.id': { $exists: true } };
      expect(await world.database.db.collection(name).countDocuments(pending)).toBe(0);
    }
  });
});
