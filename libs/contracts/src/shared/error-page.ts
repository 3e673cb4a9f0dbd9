/**
 * The address of the page that explains an error code, without the origin.
 * @param basePath the public path prefix of the service, without a slash at the end
 */
export const errorPage = (code: string, basePath = ''): string => `${basePath}/docs/errors/${code}`;
