import { type Client, expectStatus } from './client';

/** What a dry run of a mapping on `input` answers. The mapping is a draft whose expression finds no receipt, but for `mapping`. */
export async function dryRun(
  api: Client,
  input: Buffer,
  mapping: Readonly<Record<string, unknown>>,
  content_type?: string,
) {
  const answer = await api.post('/pos/mappings/_dry_run', {
    mapping: {
      id: 'page',
      match: {},
      transform: { language: 'jsonata', expression: '[]' },
      samples: [],
      ...mapping,
    },
    input_base64: input.toString('base64'),
    ...(content_type && { content_type }),
  });
  expectStatus(answer, 200);
  return answer.body;
}
