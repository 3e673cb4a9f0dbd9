import { EventLoopBudget } from '@receipts/concurrency';

/**
 * The maximum cost (see `itemsCost`) of building, printing and indexing receipts in one turn of the event loop, about
 * 10 ms. Only building or printing a single receipt with more than 2,000 items takes longer: up to 20 ms for 5,000 items
 * (November 2026).
 */
const costPerTurnMax = 100_000;

/** For all receipts that are being stored or changed at the same time. */
export const itemsBudget = new EventLoopBudget(costPerTurnMax);
