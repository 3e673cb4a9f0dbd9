/** ISO 4217 alpha-3: list one including the codes of funds and metals, and recently removed codes. */
const codes =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF ' +
  'CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD ' +
  'GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP ' +
  'LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN ' +
  'PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS ' +
  'TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD ' +
  'XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG ZWL';

export const currencyCodes: readonly string[] = codes.split(' ');
const known: ReadonlySet<string> = new Set(currencyCodes);

/** True for an ISO 4217 alpha-3 code in upper case. */
export function isCurrencyCode(text: string): boolean {
  return known.has(text);
}

/** The codes whose number of decimal places is not 2. `Intl` follows CLDR, which has fewer for some, such as HUF. */
const otherDigits: ReadonlyMap<string, number> = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([digits, those]) => those.split(' ').map((code) => [code, Number(digits)] as const)),
);

/** The number of decimal places of a currency by ISO 4217: 2 for EUR, 0 for JPY, 3 for KWD. */
export const minorDigits = (currency: string): number => otherDigits.get(currency) ?? 2;
