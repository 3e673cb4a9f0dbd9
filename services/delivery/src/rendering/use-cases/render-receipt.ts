import type { HandlerOf } from '../../handler-of';
import { rendered } from '../in-steps';
import { mailPreview } from '../mail/mail';
import { pageInSteps } from '../page/page';
import { pdfOf } from '../pdf/pdf';
import { viewInSteps, type ReceiptView } from '../view/view';
import type { FindLogo } from '../images/logo';
import type { LinkDependencies } from './open-link';

const pdfTimeMaxMs = 5_000;

interface RenderDependencies extends Pick<LinkDependencies, 'retailer' | 'publicUrl'> {
  readonly findLogo: FindLogo;
}

/** Previews of the e-mail and the PDF. They link to the platform instead of the receipt's page. */
async function previewOf(view: ReceiptView, { findLogo, publicUrl }: RenderDependencies) {
  const logo = await findLogo(view.brand.logo);
  const signal = AbortSignal.timeout(pdfTimeMaxMs);
  const pdf = await pdfOf(view, 'a4', publicUrl, { signal, logo });
  return { mail: mailPreview(view, publicUrl, logo), pdf_base64: pdf.toString('base64') };
}

/** Renders a receipt in its own language. */
export function renderReceipt(deps: RenderDependencies): HandlerOf<'renderReceipt'> {
  return async ({ body: { receipt, brand } }, call) => {
    const { settings } = await deps.retailer(call.retailer, call);
    const view = await rendered(viewInSteps(receipt, brand ? { ...settings, brand } : settings, {}));
    const { html, contentSecurityPolicy } = await rendered(pageInSteps(view, receipt));
    const preview = brand && (await previewOf(view, deps));
    return { body: { html, contentSecurityPolicy, ...(preview && { preview }) } };
  };
}
