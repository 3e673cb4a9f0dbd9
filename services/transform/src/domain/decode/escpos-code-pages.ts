/**
 * Code pages by the number with which `ESC t` selects them (Epson, ESC/POS "Select character code table"). Those
 * without an available table are omitted and decoded as code page 437.
 */
export const escposCodePages: Readonly<Record<number, string>> = {
  0: 'cp437',
  1: 'shiftjis',
  2: 'cp850',
  3: 'cp860',
  4: 'cp863',
  5: 'cp865',
  13: 'cp857',
  14: 'cp737',
  15: 'iso88597',
  16: 'windows1252',
  17: 'cp866',
  18: 'cp852',
  19: 'cp858',
  32: 'cp720',
  33: 'cp775',
  34: 'cp855',
  35: 'cp861',
  36: 'cp862',
  37: 'cp864',
  38: 'cp869',
  39: 'iso88592',
  40: 'iso885915',
  45: 'windows1250',
  46: 'windows1251',
  47: 'windows1253',
  48: 'windows1254',
  49: 'windows1255',
  50: 'windows1256',
  51: 'windows1257',
  52: 'windows1258',
};

export const defaultCodePage = 'cp437';
