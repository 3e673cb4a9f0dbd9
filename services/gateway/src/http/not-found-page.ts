import Negotiator from 'negotiator';
import type { ErrorPage } from '@receipts/kernel';
import { plainPage } from './refusal-page';

/** The text of the page in every language that receipts have. English is the default. */
const texts: Readonly<Record<string, string>> = {
  en: 'This page does not exist.',
  ar: 'هذه الصفحة غير موجودة.',
  bg: 'Тази страница не съществува.',
  cs: 'Tato stránka neexistuje.',
  da: 'Denne side findes ikke.',
  de: 'Diese Seite gibt es nicht.',
  el: 'Αυτή η σελίδα δεν υπάρχει.',
  es: 'Esta página no existe.',
  fi: 'Tätä sivua ei ole.',
  fr: 'Cette page n’existe pas.',
  he: 'הדף הזה לא קיים.',
  hr: 'Ova stranica ne postoji.',
  hu: 'Ez az oldal nem létezik.',
  it: 'Questa pagina non esiste.',
  ja: 'このページは存在しません。',
  ko: '존재하지 않는 페이지입니다.',
  nb: 'Denne siden finnes ikke.',
  nl: 'Deze pagina bestaat niet.',
  pl: 'Ta strona nie istnieje.',
  pt: 'Esta página não existe.',
  ro: 'Această pagină nu există.',
  sk: 'Táto stránka neexistuje.',
  sv: 'Den här sidan finns inte.',
  tr: 'Bu sayfa mevcut değil.',
  uk: 'Цієї сторінки не існує.',
  zh: '此页面不存在。',
  'zh-Hant': '此頁面不存在。',
};
const rightToLeft: ReadonlySet<string> = new Set(['ar', 'he']);
/** Tags that denote the same written language as another tag. */
const synonyms: Readonly<Record<string, string>> = {
  no: 'nb',
  nn: 'nb',
  'zh-TW': 'zh-Hant',
  'zh-HK': 'zh-Hant',
};
const available = [...Object.keys(texts), ...Object.keys(synonyms)];

/** The page of an unknown path, in the language that the reader prefers. */
export function notFoundPage(acceptLanguage = ''): ErrorPage {
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage } });
  const accepted = acceptLanguage === '' ? 'en' : (negotiator.language(available) ?? 'en');
  const language = synonyms[accepted] ?? accepted;
  const direction = rightToLeft.has(language) ? 'rtl' : 'ltr';
  return plainPage({ language, direction, title: texts[language] ?? '' });
}
