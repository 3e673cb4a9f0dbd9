/** An item: name, price with tax in minor units, tax rate in percent, and how many units are sold per 100 receipts. */
export type Article = readonly [name: string, price: number, taxRate: number, popularity: number];

export interface Shop {
  readonly id: string;
  readonly name: string;
  readonly currency: 'EUR' | 'GBP' | 'AED';
  readonly locale: string;
  readonly timezone: string;
  readonly colour: string;
  readonly stores: readonly { readonly name: string; readonly city: string; readonly country: string }[];
  readonly articles: readonly Article[];
  readonly itemsMax: number;
  /** The opening hours in local time. */
  readonly hours: readonly [from: number, to: number];
}

export const shops: readonly Shop[] = [
  {
    id: 'demo-cafe',
    name: 'Harbour Coffee',
    currency: 'GBP',
    locale: 'en_GB',
    timezone: 'Europe/London',
    colour: '#7a4a21',
    stores: [
      { name: 'Harbour Coffee Pier', city: 'Brighton', country: 'GBR' },
      { name: 'Harbour Coffee Lanes', city: 'Brighton', country: 'GBR' },
    ],
    articles: [
      ['Flat white', 360, 20, 60],
      ['Espresso', 240, 20, 40],
      ['Oat latte', 410, 20, 35],
      ['English breakfast tea', 290, 20, 20],
      ['Croissant', 275, 0, 30],
      ['Cinnamon bun', 340, 0, 20],
      ['Toastie, cheese and ham', 695, 20, 15],
      ['Lemonade', 320, 20, 10],
      ['Coffee beans, 250 g', 950, 0, 4],
    ],
    itemsMax: 4,
    hours: [7, 18],
  },
  {
    id: 'demo-fashion',
    name: 'Atelier Nord',
    currency: 'EUR',
    locale: 'de_DE',
    timezone: 'Europe/Berlin',
    colour: '#1f3a5f',
    stores: [
      { name: 'Atelier Nord Mitte', city: 'Berlin', country: 'DEU' },
      { name: 'Atelier Nord Altona', city: 'Hamburg', country: 'DEU' },
      { name: 'Atelier Nord Online', city: 'Berlin', country: 'DEU' },
    ],
    articles: [
      ['T-Shirt, Bio-Baumwolle', 2490, 19, 40],
      ['Jeans, gerade', 7990, 19, 25],
      ['Strickpullover', 6990, 19, 20],
      ['Wintermantel', 19900, 19, 6],
      ['Hemd, Leinen', 5490, 19, 18],
      ['Kleid, Viskose', 8990, 19, 14],
      ['Socken, 3 Paar', 1290, 19, 35],
      ['Gürtel, Leder', 3990, 19, 10],
      ['Mütze, Merino', 2990, 19, 12],
    ],
    itemsMax: 4,
    hours: [10, 20],
  },
  {
    id: 'demo-grocery',
    name: 'Marché Vert',
    currency: 'EUR',
    locale: 'fr_FR',
    timezone: 'Europe/Paris',
    colour: '#2f7d32',
    stores: [
      { name: 'Marché Vert Bastille', city: 'Paris', country: 'FRA' },
      { name: 'Marché Vert Croix-Rousse', city: 'Lyon', country: 'FRA' },
    ],
    articles: [
      ['Baguette tradition', 130, 5.5, 60],
      ['Lait demi-écrémé 1 L', 125, 5.5, 40],
      ['Pommes Gala, 1 kg', 299, 5.5, 30],
      ['Comté 12 mois, 200 g', 489, 5.5, 20],
      ['Beurre doux 250 g', 279, 5.5, 25],
      ['Yaourt nature x4', 189, 5.5, 25],
      ['Chocolat noir 70 %', 245, 5.5, 18],
      ['Vin rouge, Beaujolais', 790, 20, 12],
      ['Liquide vaisselle', 215, 20, 10],
      ['Sac réutilisable', 100, 20, 8],
    ],
    itemsMax: 9,
    hours: [8, 21],
  },
  {
    id: 'demo-bakery',
    name: 'مخبز الواحة',
    currency: 'AED',
    locale: 'ar_AE',
    timezone: 'Asia/Dubai',
    colour: '#8a5a00',
    stores: [
      { name: 'مخبز الواحة ديرة', city: 'دبي', country: 'ARE' },
      { name: 'مخبز الواحة المارينا', city: 'دبي', country: 'ARE' },
    ],
    articles: [
      ['خبز عربي', 350, 5, 60],
      ['مناقيش زعتر', 800, 5, 40],
      ['كنافة', 1800, 5, 20],
      ['بقلاوة، 250 غ', 2600, 5, 15],
      ['معمول بالتمر', 1200, 5, 25],
      ['قهوة عربية', 1000, 5, 30],
      ['شاي بالنعناع', 700, 5, 20],
      ['ماء 500 مل', 200, 5, 35],
    ],
    itemsMax: 5,
    hours: [6, 22],
  },
];
