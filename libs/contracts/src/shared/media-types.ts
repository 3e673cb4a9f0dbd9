/** JSON texts, one per line. */
export const ndjsonType = 'application/x-ndjson';
