import { z } from 'zod';
import { integer, text } from './query-parameters';

/** The parameters and figures common to all searches. */

export const queryParameter = (example: string) =>
  text({
    max: 4096,
    description: 'The query in the search language: conditions `field:value`, separated by spaces.',
    example,
  });

export const searchPage = {
  count: integer({ min: 1, max: 20, description: 'The maximum number of results per page.' }).default(20),
  offset: integer({
    min: 0,
    max: 1000,
    description: 'The number of results to skip before the page.',
  }).default(0),
};

export const searchFigures = {
  hits: z.int().describe('The total number of results.'),
  hits_relation: z
    .enum(['eq', 'at_least'])
    .describe('`eq` if all results were counted; `at_least` if counting took too long and there are more.'),
  time: z.int().describe('How long the search took, in milliseconds.'),
};
