/** A `newer`, `older`, `next` or `prev` value that no answer has given. */
export const unknownCursor = {
  status: 400,
  code: 'unknown_cursor',
  description: 'newer, older, next and prev take an id or a value from a link of an earlier answer',
};
