import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';

/** For the portal, where authors of mappings see what was sent to a printer. */
export const inspectSlip = defineQuery({
  name: 'transform.inspect-slip',
  summary: 'List the commands of a printer slip',
  description: 'Internal. Lists text and ESC/POS commands in order; long data is truncated.',
  body: z.object({ input_base64: z.string() }),
  output: z.object({
    parts: z.array(
      z.object({
        offset: z.int(),
        hex: z.string(),
        /** The name of the command; null for text. */
        command: z.string().nullable(),
        /** The text; empty for a command. */
        text: z.string(),
      }),
    ),
    is_whole: z.boolean(),
  }),
});
