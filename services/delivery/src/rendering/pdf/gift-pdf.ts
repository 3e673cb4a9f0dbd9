import type { Steps } from '../in-steps';
import { drawBarcode } from '../images/barcode';
import type { Logo } from '../images/logo';
import type { GiftView } from '../view/gift-view';
import { pointsPerMm } from './paper';
import { softColour, type Sheet } from './sheet';
import type { Style } from './text-pen';
import { writePdf, type PaperFormat } from './write-pdf';

const soft: Style = { colour: softColour };
/** A module of the returns code is then a quarter of a millimetre wide, as scanners at tills need. */
const codeMm = { width: 62, height: 16 };

function* header(sheet: Sheet, { brand, store, labels, date }: GiftView, logo?: Logo): Steps<void> {
  if (brand.colour !== null) sheet.stripe(brand.colour);
  if (logo) yield* sheet.picture(logo);
  yield* sheet.centred(brand.name, { weight: 'bold', scale: 1.5 }, 'H1');
  for (const { text, href } of store) yield* sheet.centred(text, { ...soft, ...(href !== null && { href }) });
  sheet.gap();
  yield* sheet.centred(labels.giftReceipt, { weight: 'bold', scale: 1.5 });
  yield* sheet.centred(date, soft);
  sheet.rule();
}

function* items(sheet: Sheet, view: GiftView): Steps<void> {
  for (const { name, quantity } of view.items) {
    yield* sheet.row({ label: name, amount: quantity });
    sheet.gap(0.3);
  }
}

function* returns(sheet: Sheet, { until, labels, code }: GiftView): Steps<void> {
  if (until !== null) yield* sheet.centred(`${labels.returnUntil}: ${until}`, { weight: 'bold' });
  sheet.gap();
  const size = { width: codeMm.width * pointsPerMm, height: codeMm.height * pointsPerMm };
  yield* sheet.figure(labels.returnsCode, size, (doc, place) =>
    drawBarcode(doc, code, { ...place, ...size }),
  );
  sheet.gap(0.3);
  yield* sheet.centred(code, soft);
}

function* write(sheet: Sheet, view: GiftView, logo?: Logo): Steps<void> {
  const { labels, message } = view;
  yield* header(sheet, view, logo);
  for (const line of message) yield* sheet.centred(line);
  if (message.length > 0) sheet.rule();
  yield* sheet.table(items(sheet, view), { label: labels.items, amount: labels.quantity });
  sheet.rule();
  yield* sheet.together(returns(sheet, view));
  sheet.finish();
}

/** A gift receipt as a PDF. */
export function giftPdf(
  view: GiftView,
  format: PaperFormat,
  { signal, logo }: { readonly signal?: AbortSignal; readonly logo?: Logo | undefined } = {},
): Promise<Buffer> {
  const facts = { ...view, title: view.labels.giftReceipt, author: view.brand.name };
  return writePdf(facts, format, (sheet) => write(sheet, view, logo), { ...(signal && { signal }) });
}
