import { z } from 'zod';

/** An attachment as shown in a receipt. */
export const attachmentView = z.object({
  id: z.string().describe('The id of the attachment.'),
  url: z.string().describe('The path of the content, relative to the base URL.'),
  content_type: z.string().describe('The media type of the attachment.'),
  filename: z.string().describe('The file name of the attachment.'),
  size: z.number().int().describe('The size of the attachment in bytes.'),
});
export type AttachmentView = z.output<typeof attachmentView>;
