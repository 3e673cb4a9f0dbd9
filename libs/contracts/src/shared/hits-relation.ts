import { z } from 'zod';

/** How the hits of a search were counted: all of them, or as many as the time for counting allowed. */
export const hitsRelation = z.enum(['eq', 'at_least']);
