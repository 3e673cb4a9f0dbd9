import { permissionDenied } from '@receipts/kernel';
import { z } from 'zod';
import { mappingTemplates } from '../../shared/mapping-templates';
import { choice, integer, text } from '../../shared/query-parameters';
import { chosenIds, csrf, doneParameter, portalPages } from './browser-pages';

/** The pages on which a retailer's staff write mappings and handle failed packets. */
const { page, form, upload } = portalPages;

const given = (max: number, description: string, example: string) =>
  text({ min: 0, max, description, example }).optional();

export const portalPackets = page({
  name: 'portal-packets',
  summary: 'failed packets',
  path: '/portal/packets',
  query: z.object({
    older: given(64, 'The cursor of the next page of packets.', '6a1f3c2b9d4e5f60718293a4'),
    packet: given(64, 'The id of the packet that was just converted again.', '6a1f3c2b9d4e5f60718293a4'),
    done: doneParameter,
  }),
});

export const portalReprocess = form({
  name: 'portal-reprocess',
  summary: 'convert failed packets again',
  path: '/portal/packets',
  body: z.object({
    csrf,
    packet: z
      .string()
      .max(64)
      .optional()
      .describe('The id of the packet to convert again. If it is missing, all failed packets are converted.'),
  }),
});

export const portalReprocessPackets = form({
  name: 'portal-reprocess-packets',
  summary: 'convert several failed packets again',
  path: '/portal/packets/reprocess',
  body: z.object({ csrf, ids: chosenIds('The ids of the chosen packets.') }),
});

export const portalReprocessedPackets = page({
  name: 'portal-reprocessed-packets',
  summary: 'what became of packets that were converted again together',
  path: '/portal/packets/reprocessed',
  query: z.object({
    ids: given(2000, 'The ids of the packets, separated by commas.', '6a1f3c2b9d4e5f60718293a4'),
    rejected: given(
      3000,
      'The ids of the packets that could not be converted again, each with the code of its error.',
      '6a1f3c2b9d4e5f60718293a4~packet_deleted',
    ),
  }),
  errors: [permissionDenied],
});

export const portalMappings = page({
  name: 'portal-mappings',
  summary: 'mappings',
  path: '/portal/mappings',
  query: z.object({ older: given(100, 'The cursor of the next page of mappings.', 'vendor-json') }),
});

export const portalWorkbench = page({
  name: 'portal-workbench',
  summary: 'a mapping with a slip and its receipt',
  path: '/portal/mappings/workbench',
  query: z.object({
    mapping: given(100, 'The id of the mapping to edit.', 'vendor-json'),
    version: integer({
      min: 1,
      max: 1_000_000_000,
      description: 'The version of the mapping, instead of the newest.',
      example: 2,
    }).optional(),
    packet: given(64, 'The id of the packet whose data is used as the slip.', '6a1f3c2b9d4e5f60718293a4'),
    test: integer({
      min: 1,
      max: 100,
      description: 'The number of the test whose data is used as the slip, starting at 1.',
      example: 1,
    }).optional(),
    template: choice(mappingTemplates, 'The example that a new mapping starts from.').optional(),
    done: doneParameter,
  }),
});

export const portalTryMapping = upload({
  name: 'portal-try-mapping',
  summary: 'try or save a mapping',
  path: '/portal/mappings/workbench',
  body: z.object({
    csrf,
    action: z
      .enum(['run', 'save', 'keep', 'activate', 'compare'])
      .optional()
      .describe(
        'Whether to run the mapping on the slip, save it, save it with the slip as a test, activate the version, or compare it with the active version.',
      ),
    id: z.string().describe('The id of the mapping.'),
    version: z.string().optional().describe('The version being edited; empty for a new mapping.'),
    description: z.string().optional().describe('The description of the mapping.'),
    rules: z.string().describe('The members of the mapping without a separate field, as JSON.'),
    expression: z.string().describe('The expression of the mapping.'),
    slip: z.string().describe('The slip as text.'),
    slip_base64: z.string().optional().describe('The slip in base64, if it is not text.'),
    content_type: z.string().optional().describe('The media type of the slip.'),
    packet: z.string().optional().describe('The id of the packet that the slip comes from.'),
    test: z.string().optional().describe('The number of the test that the slip comes from, from 1.'),
    open: z.string().optional().describe('The number of a test to open as the slip, instead of an action.'),
    remove: z.string().optional().describe('The number of a test to remove, instead of an action.'),
    file: z.string().optional().describe('A file with the slip.'),
  }),
  errors: [permissionDenied],
});
