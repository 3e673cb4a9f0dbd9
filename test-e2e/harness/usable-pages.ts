import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The accessibility errors of a page, and how far it scrolls horizontally, at phone and desktop sizes in light and dark
 * mode. Empty if there are no errors.
 */
export async function faultsOfPage(page: Page): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (const width of [390, 1280]) {
    for (const value of ['light', 'dark']) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      await page.evaluate(axe);
      const found = await page.evaluate(async () => {
        const checker = (globalThis as unknown as { axe: { run(): Promise<any> } }).axe;
        const { violations } = await checker.run();
        const { documentElement: root } = (globalThis as any).document;
        const nodes: unknown[] = violations.map((each: any) => [
          each.id,
          each.nodes.map((node: any) => node.html),
        ]);
        return { nodes, overflow: Number(root.scrollWidth - root.clientWidth) };
      });
      if (found.nodes.length > 0 || found.overflow > 0) faults.push([page.url(), width, value, found]);
    }
  }
  return faults;
}
