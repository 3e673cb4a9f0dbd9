import type { Page } from 'puppeteer-core';
import { openBrowser } from './browser';
import { portalPassword, type PortalUser } from './portal-visitor';
import { sharedPlatform } from './shared-platform';

/** Opens a browser in which a user of the portal is signed in, and closes it afterwards. */
export async function inBrowserOf(
  { email }: Pick<PortalUser, 'email'>,
  visit: (page: Page, at: (path: string) => string) => Promise<void>,
): Promise<void> {
  const at = (path: string) => `${sharedPlatform().credentials.baseUrl}${path}`;
  const { browser, close } = await openBrowser();
  try {
    const page = await browser.newPage();
    // The accessibility checker is a script, which the pages' content security policy would block.
    await page.setBypassCSP(true);
    await page.goto(at('/portal/sign-in'));
    await page.type('main input[name=email]', email);
    await page.type('main input[name=password]', portalPassword);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await visit(page, at);
  } finally {
    await close();
  }
}
