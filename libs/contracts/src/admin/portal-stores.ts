import { z } from 'zod';
import { characters } from '../shared/characters';

const storesMax = 100;

/** The stores to which portal users are restricted. */
export const portalStoresField = z
  .array(z.union([z.int().min(1), characters(1, 255)]))
  .min(1)
  .max(storesMax)
  .nullable();
