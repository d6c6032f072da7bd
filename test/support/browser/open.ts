import { mkdir } from 'node:fs/promises'
import { type Browser, chromium, type Page } from 'playwright-core'

let started: Promise<Browser> | undefined

/**
 * Chromium without its windows, which takes a third of the processor time that the whole of it takes. The files of one
 * test process share it; it ends with the process. Its own sandbox is off, because it does not work as root.
 */
export function openBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu']
  started ??= chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args })
  return started
}

/** Closes what the tests of a file have opened. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all(browser?.contexts().map(context => context.close()) ?? [])
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
