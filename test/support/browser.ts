import { mkdir } from 'node:fs/promises'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The Debian browser; as root it has no sandbox of its own. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
}

/** What the browser complained of: a policy that was broken, a script that failed. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  return complaints
}

/** Keeps a picture of the page where `SHOTS` names a folder: `SHOTS=/tmp/shots npx vitest run ...`. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SHOTS
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
