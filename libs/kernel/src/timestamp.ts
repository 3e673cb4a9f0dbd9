/** A time in the format of the API: ISO 8601 in UTC with `+00:00`, never `Z`. */
export function timestampOf(time: Date): string {
  return `${time.toISOString().slice(0, -1)}+00:00`;
}
