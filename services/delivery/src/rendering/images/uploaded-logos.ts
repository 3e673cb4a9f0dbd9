import { adminContracts, uploadedLogoId } from '@receipts/contracts';
import { serviceCall, type SendRequest } from '@receipts/kernel';

/**
 * Requests logos that were uploaded to this platform.
 * @param publicUrl the public URL of the platform, without a trailing slash
 * @returns undefined for the address of another site
 */
export const uploadedLogos =
  (ask: SendRequest, publicUrl: string) =>
  (url: string): Promise<Buffer> | undefined => {
    const id = uploadedLogoId(publicUrl, url);
    if (id === undefined) return undefined;
    const call = serviceCall('delivery', Date.now());
    return ask(adminContracts.showLogo, { params: { id } }, call).then(({ body }) => body);
  };
