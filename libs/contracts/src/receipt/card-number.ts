import type { ErrorDefinition } from '@receipts/kernel';

/**
 * The numbers of payment cards, of which only the last four digits may be stored (PCI DSS 4.0.1, requirement 3.4). A
 * number is recognized as a card's by the name of the payment or by its check digit.
 */
export const cardNumberTooLong = {
  status: 422,
  code: 'card_number_too_long',
  description: 'only the last four digits of a card number may be sent',
} as const satisfies ErrorDefinition;

const shownDigitsMax = 4;
/** The lengths of card numbers (ISO/IEC 7812-1). */
const cardLength = { min: 12, max: 19 };

/** Names differ in case, accents and separators. Each run of separators becomes a space. */
const folded = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ı', 'i')
    .replace(/[^\p{L}\p{N}]+/gu, ' ');

/** Tills write names of several words with and without spaces. */
const oneOf = (names: readonly string[]) =>
  `(?:${names.map((name) => folded(name).replaceAll(' ', ' ?')).join('|')})`;
const wholeWord = (names: readonly string[]) => `(?<!\\p{L})${oneOf(names)}(?!\\p{L})`;
const wordStart = (names: readonly string[]) => `(?<!\\p{L})${oneOf(names)}`;
const wordEnd = (names: readonly string[]) => `${oneOf(names)}(?!\\p{L})`;

/** Gift cards, vouchers, store credit and direct debit, in the languages of the labels of receipts. */
const otherNames = new RegExp(
  `${oneOf([
    'gift card',
    'gift',
    'geschenkkarte',
    'gutscheinkarte',
    'carte cadeau',
    'cadeaukaart',
    'carta regalo',
    'tarjeta regalo',
    'tarjeta de regalo',
    'cartão presente',
    'card cadou',
    'gavekort',
    'presentkort',
    'lahjakortti',
    'dárková karta',
    'darčeková karta',
    'karta podarunkowa',
    'poklon kartica',
    'ajándékkártya',
    'hediye kartı',
    'подарункова картка',
    'карта за подарък',
    'δωροκάρτα',
    'بطاقة هدية',
    'כרטיס מתנה',
    'ギフトカード',
    '기프트카드',
    '礼品卡',
    '禮品卡',
    'voucher',
    'gutschein',
    'bon d’achat',
    'tegoedbon',
    'værdibevis',
    'verdikupong',
    'värdekupong',
    'lahjaseteli',
    'poukázka',
    'poukážka',
    'utalvány',
    'hediye çeki',
    'ваучер',
    'κουπόνι',
    'قسيمة',
    'שובר',
    '商品券',
    '상품권',
    '代金券',
    '禮券',
    'coupon',
    'chèque cadeau',
    'cheque regalo',
    'store credit',
    'credit note',
    'crédit magasin',
    'credito negozio',
    'tillgodokvitto',
    'hyvityslasku',
    'direct debit',
    'lastschrift',
    'bankeinzug',
    'prélèvement',
    'addebito diretto',
    'domiciliazione',
    'domiciliación',
    'adeudo directo',
    'débito directo',
    'débito direto',
    'debitare directă',
    'incasso',
    'inkaso',
    'autogiro',
    'avtalegiro',
    'suoraveloitus',
    'polecenie zapłaty',
    'csoportos beszedés',
    'izravno terećenje',
    'директен дебит',
  ])}|${wholeWord(['bon', 'bono', 'buono', 'vale', 'avoir', 'sepa'])}`,
  'gu',
);

const cardNames = new RegExp(
  [
    oneOf([
      'card',
      'visa',
      'maestro',
      'amex',
      'american express',
      'discover',
      'diners',
      'union pay',
      'bancontact',
      'dankort',
      'rupay',
      'kreditkort',
      'tarjeta',
      'cartão',
      'kortti',
      'kaart',
      'karte',
      'kártya',
      'κάρτα',
      'カード',
      'クレジット',
      'デビット',
      '카드',
      '신용',
      '卡',
      '银联',
      '銀聯',
      'بطاقة',
      'ائتمان',
      'כרטיס',
      'אשראי',
    ]),
    // These also occur within other words, such as `ec` in `check`.
    wholeWord(['ec', 'cb', 'elo', 'mir', 'мир', 'jcb', 'carte', 'carta']),
    wordStart(['credit', 'kredi', 'kredyt', 'luotto', 'кредит', 'debit', 'debet', 'дебет', 'kart', 'карт']),
    wordEnd(['kort']),
  ].join('|'),
  'u',
);

interface PaymentKind {
  readonly isCard: boolean;
  /** Whether its number cannot be that of a payment card. */
  readonly isOther: boolean;
}

/** A Visa gift card is a card: what remains without the names of gift cards names one. */
function kindOf(names: readonly string[]): PaymentKind {
  let isOther = false;
  let isCard = false;
  for (const name of names.map(folded)) {
    const rest = name.replace(otherNames, ' ');
    isOther ||= rest !== name;
    isCard ||= cardNames.test(rest);
  }
  return { isCard, isOther };
}

const isAsciiDigit = (code: number) => code >= 0x30 && code <= 0x39;

/** The value of a digit of another script. Every script has its ten digits in one row of Unicode, zero first. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0) as number;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value % 10;
}

/** The digits of a number in any script, up to one more than a card number has. */
function digitsOf(number: string): number[] {
  const digits: number[] = [];
  for (const character of number) {
    if (digits.length > cardLength.max) break;
    const code = character.charCodeAt(0);
    if (isAsciiDigit(code)) digits.push(code - 0x30);
    else if (code > 0x7f && /\p{Nd}/u.test(character)) digits.push(valueOf(character));
  }
  return digits;
}

/** The check digit of card numbers (ISO/IEC 7812-1, annex B). */
function hasLuhnDigit(digits: readonly number[]): boolean {
  let sum = 0;
  for (const [at, digit] of digits.entries()) {
    const isDoubled = (digits.length - at) % 2 === 0;
    sum += isDoubled ? digit * 2 - (digit > 4 ? 9 : 0) : digit;
  }
  return sum % 10 === 0;
}

/**
 * Whether a payment's number has more digits of a card number than may be sent.
 * @param names what the till calls the payment: its method and the brand and type of the card
 */
export function isCardNumber(number: unknown, names: readonly unknown[]): boolean {
  // Nearly all numbers end here, and payments are on the hottest path.
  if (typeof number !== 'string' || number.length <= shownDigitsMax) return false;
  const digits = digitsOf(number);
  if (digits.length <= shownDigitsMax) return false;
  const { isCard, isOther } = kindOf(names.filter((name) => typeof name === 'string'));
  if (isCard) return true;
  const mayBeCard = digits.length >= cardLength.min && digits.length <= cardLength.max;
  return !isOther && mayBeCard && hasLuhnDigit(digits);
}
