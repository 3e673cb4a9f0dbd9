/** The error for a `newer`, `older`, `next` or `prev` value that no response has contained. */
export const unknownCursor = {
  status: 400,
  code: 'unknown_cursor',
  description: 'newer, older, next and prev take an id or a value from a link of an earlier answer',
};
