const regions: ReadonlySet<string> = new Set(
  'Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US'.split(
    ' ',
  ),
);

/** IANA names without a region. The runtime also accepts names that are not part of the IANA database. */
const plainNames: ReadonlySet<string> = new Set(
  (
    'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran ' +
    'Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK ' +
    'Singapore Turkey UCT UTC Universal W-SU WET Zulu'
  ).split(' '),
);

const known = new Set<string>();
/** The runtime ignores case, so the number of valid spellings is large and the cache must be bounded. */
const knownMax = 2000;

function runtimeKnows(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** True for a name of the IANA time zone database, including links such as `Asia/Calcutta`. */
export function isTimeZone(text: string): boolean {
  if (known.has(text)) return true;
  const slash = text.indexOf('/');
  if (slash < 0) return plainNames.has(text);
  if (text.length > 64 || !regions.has(text.slice(0, slash)) || !runtimeKnows(text)) return false;
  if (known.size < knownMax) known.add(text);
  return true;
}
