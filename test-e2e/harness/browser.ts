import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { patiently } from '@receipts/testing';
import puppeteer, { type Browser } from 'puppeteer-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of the machine's browser, or of the one in `CHROMIUM_PATH`; undefined if there is none. */
export function browserPath(): string | undefined {
  return process.env['CHROMIUM_PATH'] ?? places.find((place) => existsSync(place));
}

/** Pages load within milliseconds, but the tests of other files may take the processor for a while. */
const pageTimeoutMs = patiently(90_000);

/** A headless browser with a temporary profile. */
export async function openBrowser(): Promise<{ browser: Browser; close(): Promise<void> }> {
  const executablePath = browserPath();
  if (executablePath === undefined) throw new Error('there is no Chromium on this machine');
  const userDataDir = mkdtempSync(path.join(os.tmpdir(), 'receipts-browser-'));
  const browser = await puppeteer.launch({
    executablePath,
    userDataDir,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const newPage = browser.newPage.bind(browser);
  browser.newPage = async () => {
    const page = await newPage();
    page.setDefaultTimeout(pageTimeoutMs);
    return page;
  };
  return {
    browser,
    async close() {
      await browser.close();
      rmSync(userDataDir, { recursive: true, force: true });
    },
  };
}
