import { z } from 'zod';

/** Whether all hits of a search were counted, or only those that could be counted in time. */
export const hitsRelation = z.enum(['eq', 'at_least']);
