import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** By how many pixels a page is wider than windows of these widths. Empty if it fits all of them. */
export async function overflowsOfPage(page: Page, widths: readonly number[]): Promise<unknown[]> {
  const overflows: unknown[] = [];
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    const overflow = await page.evaluate(() => {
      const { documentElement: root } = (globalThis as any).document;
      return Number(root.scrollWidth - root.clientWidth);
    });
    if (overflow > 0) overflows.push([page.url(), width, overflow]);
  }
  return overflows;
}

/**
 * The accessibility errors of a page at phone and desktop sizes in light and dark mode, and by how much it is wider
 * than its window, also on tablets and large screens. Empty if there are no errors.
 */
export async function faultsOfPage(page: Page): Promise<unknown[]> {
  const faults: unknown[] = await overflowsOfPage(page, [390, 768, 1280, 1440]);
  for (const width of [390, 1280]) {
    for (const value of ['light', 'dark']) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      await page.evaluate(axe);
      const found = await page.evaluate(async () => {
        const checker = (globalThis as unknown as { axe: { run(): Promise<any> } }).axe;
        const { violations } = await checker.run();
        return violations.map((each: any) => [
          each.id,
          each.nodes.map((node: any) => node.html),
        ]) as unknown[];
      });
      if (found.length > 0) faults.push([page.url(), width, value, found]);
    }
  }
  return faults;
}
