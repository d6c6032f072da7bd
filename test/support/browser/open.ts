import { mkdir } from 'node:fs/promises'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Debian's Chromium. Its own sandbox is off, because it does not work as root. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
}

/** Collects console errors, such as violations of the content security policy, and uncaught exceptions. */
export function collectErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', error => errors.push(String(error)))
  return errors
}

/** Saves a screenshot if `SHOTS` names a folder: `SHOTS=/tmp/shots npx vitest run ...`. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SHOTS
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
