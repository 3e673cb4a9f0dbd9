import JsBarcode from 'jsbarcode';

/** The bars and gaps of a barcode, each one module wide. */
function modulesOf(text: string): readonly boolean[] {
  const target: { encodings?: readonly { readonly data: string }[] } = {};
  JsBarcode(target, text, { format: 'CODE128' });
  return (target.encodings ?? []).flatMap(({ data }) => [...data].map((module) => module === '1'));
}

/** ISO/IEC 15417: the gap on both sides. */
const quietModules = 10;
const svgHeight = 60;

/** The bars, as runs of modules from the left edge of the first. */
function barsOf(modules: readonly boolean[]): readonly { readonly start: number; readonly width: number }[] {
  const bars: { start: number; width: number }[] = [];
  for (const [n, isBar] of modules.entries()) {
    const last = bars.at(-1);
    if (!isBar) continue;
    if (last && last.start + last.width === n) last.width++;
    else bars.push({ start: n, width: 1 });
  }
  return bars;
}

/** A CODE128 barcode as inline SVG. */
export function barcodeSvg(text: string): string {
  const modules = modulesOf(text);
  const width = modules.length + 2 * quietModules;
  const path = barsOf(modules).map(
    (bar) => `M${bar.start + quietModules} 0h${bar.width}v${svgHeight}h-${bar.width}z`,
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${svgHeight}" preserveAspectRatio="none" shape-rendering="crispEdges">` +
    `<path fill="#ffffff" d="M0 0h${width}v${svgHeight}H0z"/><path d="${path.join('')}"/></svg>`
  );
}

/** Draws a CODE128 barcode into a PDF. Lengths are in points; the width includes the gaps on both sides. */
export function drawBarcode(
  doc: PDFKit.PDFDocument,
  text: string,
  place: { readonly left: number; readonly top: number; readonly width: number; readonly height: number },
): void {
  const modules = modulesOf(text);
  const unit = place.width / (modules.length + 2 * quietModules);
  doc.fillColor('#000');
  for (const { start, width } of barsOf(modules)) {
    doc.rect(place.left + (start + quietModules) * unit, place.top, width * unit, place.height);
  }
  doc.fill();
}
