import {
  logoAddress,
  logoBytesMax,
  logoPixelsMax,
  readLogo,
  uploadedLogoId,
  type LogoFault,
} from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Language } from '../../pages/language';
import type { Portal } from '../open-portal';
import type { SignedIn } from '../signed-in';

function textOf(fault: LogoFault, { t, number }: Language): string {
  if (fault === 'bytes') return t('brand.logoBytes', { max: number(logoBytesMax / 1024) });
  if (fault === 'type') return t('brand.logoType');
  if (fault === 'damaged') return t('brand.logoDamaged');
  const [png, other] = [logoPixelsMax['image/png'], logoPixelsMax['image/jpeg']].map(number);
  return t('brand.logoPixels', { png: png ?? '', other: other ?? '' });
}

/**
 * Keeps an uploaded logo.
 * @returns its address
 * @throws ServiceError 422 that says why the file is no logo
 */
export async function keepLogo(
  { logos, publicUrl, now }: Pick<Portal, 'logos' | 'publicUrl' | 'now'>,
  { retailer, call, language }: Pick<SignedIn, 'retailer' | 'call' | 'language'>,
  bytes: Buffer,
): Promise<string> {
  const image = readLogo(bytes);
  if (typeof image === 'string') {
    throw new ServiceError({ status: 422, description: textOf(image, language) });
  }
  const { logo } = retailer.settings.brand;
  const saved = logo === null ? undefined : uploadedLogoId(publicUrl, logo);
  const kept = { retailer: retailer.id, type: image.type, bytes };
  return logoAddress(publicUrl, await logos.keep(kept, saved, now(), deadlineSignal(call)));
}
