/** The fixed texts of a receipt, by language. */
export interface Labels {
  readonly receipt: string;
  readonly copy: string;
  readonly incomplete: string;
  readonly total: string;
  readonly subtotal: string;
  readonly net: string;
  readonly tax: string;
  readonly discount: string;
  readonly returned: string;
  readonly payment: string;
  readonly change: string;
  readonly cash: string;
  readonly card: string;
  readonly giftcard: string;
  readonly number: string;
  readonly date: string;
  readonly store: string;
  readonly till: string;
  readonly vatNumber: string;
  readonly phone: string;
  readonly attachments: string;
  readonly savePdf: string;
  readonly scan: string;
  readonly items: string;
  readonly amount: string;
  readonly quantity: string;
  readonly unsubscribe: string;
  readonly unsubscribeQuestion: string;
  readonly unsubscribed: string;
}

const en: Labels = {
  receipt: 'Receipt',
  copy: 'Copy',
  incomplete: 'This receipt is not complete yet.',
  total: 'Total',
  subtotal: 'Subtotal',
  net: 'Net',
  tax: 'Tax',
  discount: 'Discount',
  returned: 'Returned',
  payment: 'Paid with',
  change: 'Change',
  cash: 'Cash',
  card: 'Card',
  giftcard: 'Gift card',
  number: 'Receipt number',
  date: 'Date',
  store: 'Store',
  till: 'Till',
  vatNumber: 'VAT number',
  phone: 'Phone',
  attachments: 'Attachments',
  savePdf: 'Save as PDF',
  scan: 'QR code of this receipt',
  items: 'Items',
  amount: 'Amount',
  quantity: 'Quantity',
  unsubscribe: 'Unsubscribe',
  unsubscribeQuestion: 'Stop sending me receipts?',
  unsubscribed: 'You will no longer receive receipts.',
};

const fr: Labels = {
  receipt: 'Ticket de caisse',
  copy: 'Duplicata',
  incomplete: 'Ce ticket n’est pas encore complet.',
  total: 'Total',
  subtotal: 'Sous-total',
  net: 'Hors taxes',
  tax: 'TVA',
  discount: 'Remise',
  returned: 'Retourné',
  payment: 'Payé par',
  change: 'Rendu',
  cash: 'Espèces',
  card: 'Carte',
  giftcard: 'Carte cadeau',
  number: 'Numéro du ticket',
  date: 'Date',
  store: 'Magasin',
  till: 'Caisse',
  vatNumber: 'Numéro de TVA',
  phone: 'Téléphone',
  attachments: 'Pièces jointes',
  savePdf: 'Enregistrer en PDF',
  scan: 'Code QR de ce ticket',
  items: 'Articles',
  amount: 'Montant',
  quantity: 'Quantité',
  unsubscribe: 'Se désabonner',
  unsubscribeQuestion: 'Ne plus m’envoyer de tickets ?',
  unsubscribed: 'Vous ne recevrez plus de tickets.',
};

const de: Labels = {
  receipt: 'Kassenbon',
  copy: 'Kopie',
  incomplete: 'Dieser Bon ist noch nicht vollständig.',
  total: 'Summe',
  subtotal: 'Zwischensumme',
  net: 'Netto',
  tax: 'Steuer',
  discount: 'Rabatt',
  returned: 'Zurückgegeben',
  payment: 'Bezahlt mit',
  change: 'Rückgeld',
  cash: 'Bar',
  card: 'Karte',
  giftcard: 'Geschenkkarte',
  number: 'Bonnummer',
  date: 'Datum',
  store: 'Filiale',
  till: 'Kasse',
  vatNumber: 'USt-IdNr.',
  phone: 'Telefon',
  attachments: 'Anhänge',
  savePdf: 'Als PDF sichern',
  scan: 'QR-Code dieses Bons',
  items: 'Artikel',
  amount: 'Betrag',
  quantity: 'Menge',
  unsubscribe: 'Abbestellen',
  unsubscribeQuestion: 'Keine Kassenbons mehr senden?',
  unsubscribed: 'Sie erhalten keine Kassenbons mehr.',
};

const es: Labels = {
  receipt: 'Recibo',
  copy: 'Copia',
  incomplete: 'Este recibo aún no está completo.',
  total: 'Total',
  subtotal: 'Subtotal',
  net: 'Base imponible',
  tax: 'IVA',
  discount: 'Descuento',
  returned: 'Devuelto',
  payment: 'Pagado con',
  change: 'Cambio',
  cash: 'Efectivo',
  card: 'Tarjeta',
  giftcard: 'Tarjeta regalo',
  number: 'Número de recibo',
  date: 'Fecha',
  store: 'Tienda',
  till: 'Caja',
  vatNumber: 'NIF',
  phone: 'Teléfono',
  attachments: 'Archivos adjuntos',
  savePdf: 'Guardar como PDF',
  scan: 'Código QR de este recibo',
  items: 'Artículos',
  amount: 'Importe',
  quantity: 'Cantidad',
  unsubscribe: 'Cancelar la suscripción',
  unsubscribeQuestion: '¿No enviarme más recibos?',
  unsubscribed: 'Ya no recibirá más recibos.',
};

const it: Labels = {
  receipt: 'Scontrino',
  copy: 'Copia',
  incomplete: 'Questo scontrino non è ancora completo.',
  total: 'Totale',
  subtotal: 'Subtotale',
  net: 'Imponibile',
  tax: 'IVA',
  discount: 'Sconto',
  returned: 'Reso',
  payment: 'Pagato con',
  change: 'Resto',
  cash: 'Contanti',
  card: 'Carta',
  giftcard: 'Carta regalo',
  number: 'Numero dello scontrino',
  date: 'Data',
  store: 'Negozio',
  till: 'Cassa',
  vatNumber: 'Partita IVA',
  phone: 'Telefono',
  attachments: 'Allegati',
  savePdf: 'Salva come PDF',
  scan: 'Codice QR di questo scontrino',
  items: 'Articoli',
  amount: 'Importo',
  quantity: 'Quantità',
  unsubscribe: 'Annulla l’iscrizione',
  unsubscribeQuestion: 'Non inviarmi più scontrini?',
  unsubscribed: 'Non riceverà più scontrini.',
};

const nl: Labels = {
  receipt: 'Kassabon',
  copy: 'Kopie',
  incomplete: 'Deze bon is nog niet volledig.',
  total: 'Totaal',
  subtotal: 'Subtotaal',
  net: 'Netto',
  tax: 'Btw',
  discount: 'Korting',
  returned: 'Geretourneerd',
  payment: 'Betaald met',
  change: 'Wisselgeld',
  cash: 'Contant',
  card: 'Kaart',
  giftcard: 'Cadeaukaart',
  number: 'Bonnummer',
  date: 'Datum',
  store: 'Winkel',
  till: 'Kassa',
  vatNumber: 'Btw-nummer',
  phone: 'Telefoon',
  attachments: 'Bijlagen',
  savePdf: 'Opslaan als PDF',
  scan: 'QR-code van deze bon',
  items: 'Artikelen',
  amount: 'Bedrag',
  quantity: 'Aantal',
  unsubscribe: 'Afmelden',
  unsubscribeQuestion: 'Geen kassabonnen meer sturen?',
  unsubscribed: 'U ontvangt geen kassabonnen meer.',
};

const pt: Labels = {
  receipt: 'Recibo',
  copy: 'Cópia',
  incomplete: 'Este recibo ainda não está completo.',
  total: 'Total',
  subtotal: 'Subtotal',
  net: 'Valor líquido',
  tax: 'IVA',
  discount: 'Desconto',
  returned: 'Devolvido',
  payment: 'Pago com',
  change: 'Troco',
  cash: 'Numerário',
  card: 'Cartão',
  giftcard: 'Cartão-presente',
  number: 'Número do recibo',
  date: 'Data',
  store: 'Loja',
  till: 'Caixa',
  vatNumber: 'NIF',
  phone: 'Telefone',
  attachments: 'Anexos',
  savePdf: 'Guardar como PDF',
  scan: 'Código QR deste recibo',
  items: 'Artigos',
  amount: 'Valor',
  quantity: 'Quantidade',
  unsubscribe: 'Cancelar a subscrição',
  unsubscribeQuestion: 'Não me enviar mais recibos?',
  unsubscribed: 'Não receberá mais recibos.',
};

const pl: Labels = {
  receipt: 'Paragon',
  copy: 'Kopia',
  incomplete: 'Ten paragon nie jest jeszcze kompletny.',
  total: 'Suma',
  subtotal: 'Suma częściowa',
  net: 'Netto',
  tax: 'VAT',
  discount: 'Rabat',
  returned: 'Zwrócono',
  payment: 'Zapłacono',
  change: 'Reszta',
  cash: 'Gotówka',
  card: 'Karta',
  giftcard: 'Karta podarunkowa',
  number: 'Numer paragonu',
  date: 'Data',
  store: 'Sklep',
  till: 'Kasa',
  vatNumber: 'NIP',
  phone: 'Telefon',
  attachments: 'Załączniki',
  savePdf: 'Zapisz jako PDF',
  scan: 'Kod QR tego paragonu',
  items: 'Pozycje',
  amount: 'Kwota',
  quantity: 'Ilość',
  unsubscribe: 'Wypisz się',
  unsubscribeQuestion: 'Nie wysyłać mi więcej paragonów?',
  unsubscribed: 'Nie będziemy już wysyłać paragonów.',
};

const el: Labels = {
  receipt: 'Απόδειξη',
  copy: 'Αντίγραφο',
  incomplete: 'Αυτή η απόδειξη δεν είναι ακόμη πλήρης.',
  total: 'Σύνολο',
  subtotal: 'Μερικό σύνολο',
  net: 'Καθαρή αξία',
  tax: 'ΦΠΑ',
  discount: 'Έκπτωση',
  returned: 'Επιστράφηκε',
  payment: 'Πληρωμή με',
  change: 'Ρέστα',
  cash: 'Μετρητά',
  card: 'Κάρτα',
  giftcard: 'Δωροκάρτα',
  number: 'Αριθμός απόδειξης',
  date: 'Ημερομηνία',
  store: 'Κατάστημα',
  till: 'Ταμείο',
  vatNumber: 'ΑΦΜ',
  phone: 'Τηλέφωνο',
  attachments: 'Συνημμένα',
  savePdf: 'Αποθήκευση ως PDF',
  scan: 'Κωδικός QR αυτής της απόδειξης',
  items: 'Είδη',
  amount: 'Ποσό',
  quantity: 'Ποσότητα',
  unsubscribe: 'Διαγραφή',
  unsubscribeQuestion: 'Να μη μου στέλνετε πλέον αποδείξεις;',
  unsubscribed: 'Δεν θα λαμβάνετε πλέον αποδείξεις.',
};

const ar: Labels = {
  receipt: 'إيصال',
  copy: 'نسخة',
  incomplete: 'هذا الإيصال غير مكتمل بعد.',
  total: 'الإجمالي',
  subtotal: 'المجموع الفرعي',
  net: 'الصافي',
  tax: 'الضريبة',
  discount: 'خصم',
  returned: 'مرتجع',
  payment: 'الدفع عبر',
  change: 'الباقي',
  cash: 'نقدًا',
  card: 'بطاقة',
  giftcard: 'بطاقة هدية',
  number: 'رقم الإيصال',
  date: 'التاريخ',
  store: 'المتجر',
  till: 'الصندوق',
  vatNumber: 'الرقم الضريبي',
  phone: 'الهاتف',
  attachments: 'المرفقات',
  savePdf: 'حفظ بصيغة PDF',
  scan: 'رمز QR لهذا الإيصال',
  items: 'الأصناف',
  amount: 'المبلغ',
  quantity: 'الكمية',
  unsubscribe: 'إلغاء الاشتراك',
  unsubscribeQuestion: 'هل تريد إيقاف إرسال الإيصالات إليك؟',
  unsubscribed: 'لن تصلك إيصالات بعد الآن.',
};

const byLanguage: Readonly<Record<string, Labels>> = { en, fr, de, es, it, nl, pt, pl, el, ar };

/** The language of the labels for a locale; English if there are none in its language. */
export function labelLanguage(locale: string): string {
  const language = locale.split('-')[0] ?? 'en';
  return Object.hasOwn(byLanguage, language) ? language : 'en';
}

export function labelsOf(locale: string): Labels {
  return byLanguage[labelLanguage(locale)] as Labels;
}
