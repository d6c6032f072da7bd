import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../../support/browser/open.ts'
import { listAttacks } from '../../support/data/html-attacks.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { hasProgram } from '../../support/machine/programs.ts'
import { runOperation } from '../../support/operations/run.ts'

const hasBrowser = hasProgram('chromium-headless-shell')
const PROFILES = ['strict', 'basic', 'rich', 'email']
const BATCH = 150

let browser: Browser
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser()
})
afterAll(() => browser?.close())

/** Triggers on every element the events that a user might cause. */
const TRIGGER_EVENTS = `for (const element of document.querySelectorAll('*'))
  for (const name of ['click', 'mouseover', 'pointerenter', 'focus', 'toggle', 'load', 'error'])
    element.dispatchEvent(new MouseEvent(name, { bubbles: name === 'click', cancelable: true }))
for (const link of document.querySelectorAll('a, area, button')) link.click?.()`

/** Returns the indexes of the pages that run code; each page is parsed in its own frame. */
async function findRunning(pages: readonly string[]): Promise<Set<number>> {
  const found = new Set<number>()
  for (let from = 0; from < pages.length; from += BATCH) {
    await using context = await openContext(found)
    const page = await context.newPage()
    const frames = pages.slice(from, from + BATCH).map((html, index) => {
      const text = html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
      return `<iframe name="${from + index}" srcdoc="${text}"></iframe>`
    })
    await page.setContent(frames.join(''), { waitUntil: 'commit' })
    await waitForFrames(page, found, -1)
    for (const frame of page.frames().filter(each => /^[0-9]/.test(each.name())))
      void frame.evaluate(TRIGGER_EVENTS).catch(() => undefined)
    await waitForFrames(page, found, -2)
  }
  return found
}

/** Waits until the frames have run, by adding one more frame whose handler is certain to run after theirs. */
async function waitForFrames(page: Page, found: Set<number>, mark: number): Promise<void> {
  await page.evaluate(`{
    const frame = document.createElement('iframe')
    frame.name = '${mark}'
    frame.srcdoc = '<img src=q onerror=hit()>'
    document.body.append(frame)
  }`)
  await eventually('the last frame to run', () => found.delete(mark))
}

/** An offline browser context in which every frame reports by its name when `hit()` runs in it. */
async function openContext(found: Set<number>): Promise<BrowserContext> {
  const context = await browser.newContext({ offline: true })
  await context.exposeFunction('report', (name: string) => void found.add(Number(name)))
  await context.addInitScript(
    'window.hit = () => { let at = window; while (at.parent !== at.parent.parent) at = at.parent; window.report(at.name) }',
  )
  context.on('dialog', dialog => void dialog.dismiss())
  return context
}

test.skipIf(!hasBrowser)('no profile leaves any of hundreds of attacks that run code in a browser', async () => {
  const shapes = listAttacks()
  expect(shapes.length).toBeGreaterThan(400)
  const cleaned = new Map<string, string>()
  for (const profile of PROFILES) {
    for (const text of shapes) {
      const { html } = await runOperation('text.sanitize-html', { text, profile, allowStyles: true })
      if (/[<]/.test(html as string)) cleaned.set(html as string, `${profile}: ${text}`)
    }
  }
  const running = await findRunning([...cleaned.keys()])
  expect([...running].map(at => [...cleaned.values()][at])).toEqual([])
})

test.skipIf(!hasBrowser)('the browser runs many of the attacks if they are not cleaned', async () => {
  expect((await findRunning(listAttacks())).size).toBeGreaterThan(150)
})
