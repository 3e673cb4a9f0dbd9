/** JSON texts, one a line. */
export const ndjsonType = 'application/x-ndjson';
