import type { RetailerSettings, ReturnedReceipt } from '@receipts/contracts';
import type { Log } from '@receipts/kernel';
import type { FindLogo } from '../images/logo';
import type { MailFiles } from './mail';
import { fileName, pdfOf } from '../pdf/pdf';
import { fitsQr, qrPng } from '../images/qr';
import type { ReceiptView } from '../view/view';

/** The part of `Proofs` that rendering uses. */
export interface ProofIssuer {
  /** The proof of a receipt in its current state. */
  of(retailer: string, receipt: ReturnedReceipt): Promise<string>;
}

export interface MailFileDependencies {
  readonly findLogo: FindLogo;
  readonly proofs: ProofIssuer;
  readonly log: Log;
}

interface Addressed {
  readonly retailer: string;
  readonly settings: RetailerSettings;
  /** The URL of the receipt's page. */
  readonly page: string;
}

/** Very long receipts are sent without a PDF; their e-mail links to it. */
const pdfTimeMaxMs = 5_000;

/** The logo and the PDF of an e-mail. An e-mail is sent even if these cannot be created. */
export async function mailFiles(
  receipt: ReturnedReceipt,
  view: ReceiptView,
  { retailer, settings, page }: Addressed,
  { findLogo, proofs, log }: MailFileDependencies,
): Promise<MailFiles> {
  const { code } = view.fiscal;
  const fiscalQr = code !== null && fitsQr(code) ? await qrPng(code) : undefined;
  const images = { logo: await findLogo(view.brand.logo), fiscalQr };
  if (!settings.channels.email.attach_pdf) return images;
  try {
    const proof = await proofs.of(retailer, receipt);
    const content = await pdfOf(view, 'a4', page, {
      signal: AbortSignal.timeout(pdfTimeMaxMs),
      proof,
      logo: images.logo,
    });
    return { ...images, pdf: { filename: fileName(receipt.transaction_id), content } };
  } catch (error) {
    log.warn('an e-mail is sent without its PDF', { receipt: receipt.id, error });
    return images;
  }
}
