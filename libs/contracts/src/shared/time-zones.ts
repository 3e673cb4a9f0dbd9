const regions: ReadonlySet<string> = new Set(
  'Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US'.split(
    ' ',
  ),
);

/** The names of the IANA database that stand outside a region. The runtime knows further ones that are not IANA's. */
const plainNames: ReadonlySet<string> = new Set(
  (
    'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran ' +
    'Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK ' +
    'Singapore Turkey UCT UTC Universal W-SU WET Zulu'
  ).split(' '),
);

const known = new Set<string>();
/** The runtime compares names without case, so there is no end of spellings: a bound for those that are remembered. */
const knownMax = 2000;

function runtimeKnows(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** True for a name of the IANA time zone database, links such as `Asia/Calcutta` included. */
export function isTimeZone(text: string): boolean {
  if (known.has(text)) return true;
  const slash = text.indexOf('/');
  if (slash < 0) return plainNames.has(text);
  if (text.length > 64 || !regions.has(text.slice(0, slash)) || !runtimeKnows(text)) return false;
  if (known.size < knownMax) known.add(text);
  return true;
}
