import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findViolations } from './axe.ts'
import { saveScreenshot } from './open.ts'
import { measureOverflow } from './visit.ts'

type ColorScheme = 'light' | 'dark'

/** A page is not wider than its window and violates no rule of accessibility. */
export async function expectGood(page: Page, name: string): Promise<void> {
  expect([name, await measureOverflow(page), await findViolations(page)]).toEqual([name, 0, []])
  await saveScreenshot(page, name)
}

/** The same in both schemes. A scheme changes the styles alone, so the page is not loaded again for it. */
export async function expectGoodInBothSchemes(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await chooseScheme(page, colorScheme)
    await expectGood(page, `${name}-${colorScheme}`)
  }
}

/** Shows a page in a scheme, with the colours that it has once none of them is changing. */
export async function chooseScheme(page: Page, colorScheme: ColorScheme): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate('document.getAnimations().forEach(animation => animation.finish())')
}
