import { parkedMessageNotFound, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { parkedMessageOf } from './parked-message';
import { parkedQueues, type ParkedDeps } from './parked-queues';

export function getParkedMessage(deps: ParkedDeps): Handler<(typeof adminContracts)['getParkedMessage']> {
  return async ({ params, query }) => {
    await parkedQueues(deps, query.queue);
    const found = await deps.parked.show(query.queue, params.id);
    if (!found) throw new ServiceError(parkedMessageNotFound);
    return { body: { ...parkedMessageOf(found), content: found.content } };
  };
}
