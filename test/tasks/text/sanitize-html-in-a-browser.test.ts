import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attackShapes } from '../../support/attacks.ts'
import { openBrowser } from '../../support/browser.ts'
import { runOperation } from '../../support/operations.ts'
import { hasProgram } from '../../support/programs.ts'
import { eventually } from '../../support/until.ts'

const hasBrowser = hasProgram('chromium')
const PROFILES = ['strict', 'basic', 'rich', 'email']
const BATCH = 150

let browser: Browser
beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser()
})
afterAll(() => browser?.close())

/** Everything that a person might do to a page is done to every element of it. */
const TOUCH = `for (const element of document.querySelectorAll('*'))
  for (const name of ['click', 'mouseover', 'pointerenter', 'focus', 'toggle', 'load', 'error'])
    element.dispatchEvent(new MouseEvent(name, { bubbles: name === 'click', cancelable: true }))
for (const link of document.querySelectorAll('a, area, button')) link.click?.()`

/** Which of these pages run something, each parsed by a frame of its own. */
async function running(pages: readonly string[]): Promise<Set<number>> {
  const found = new Set<number>()
  for (let from = 0; from < pages.length; from += BATCH) {
    await using context = await quietContext(found)
    const page = await context.newPage()
    const frames = pages.slice(from, from + BATCH).map((html, index) => {
      const text = html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
      return `<iframe name="${from + index}" srcdoc="${text}"></iframe>`
    })
    await page.setContent(frames.join(''), { waitUntil: 'commit' })
    await settled(page, found, -1)
    for (const frame of page.frames().filter(each => /^[0-9]/.test(each.name())))
      void frame.evaluate(TOUCH).catch(() => undefined)
    await settled(page, found, -2)
  }
  return found
}

/** One more frame, whose picture is missing for certain: when that is known, it is known of all before it. */
async function settled(page: Page, found: Set<number>, mark: number): Promise<void> {
  await page.evaluate(`{
    const frame = document.createElement('iframe')
    frame.name = '${mark}'
    frame.srcdoc = '<img src=q onerror=hit()>'
    document.body.append(frame)
  }`)
  await eventually('the last frame to run', () => found.delete(mark))
}

/** Nothing leaves it; every frame tells by its name when `hit()` runs in it. */
async function quietContext(found: Set<number>): Promise<BrowserContext> {
  const context = await browser.newContext({ offline: true })
  await context.exposeFunction('tell', (name: string) => void found.add(Number(name)))
  await context.addInitScript(
    'window.hit = () => { let at = window; while (at.parent !== at.parent.parent) at = at.parent; window.tell(at.name) }',
  )
  context.on('dialog', dialog => void dialog.dismiss())
  return context
}

test.skipIf(!hasBrowser)(
  'of hundreds of ways to run something in a browser, none is left by any profile',
  async () => {
    const shapes = attackShapes()
    expect(shapes.length).toBeGreaterThan(400)
    const cleaned = new Map<string, string>()
    for (const profile of PROFILES) {
      for (const text of shapes) {
        const { html } = await runOperation('text.sanitize-html', { text, profile, allowStyles: true })
        if (/[<]/.test(html as string)) cleaned.set(html as string, `${profile}: ${text}`)
      }
    }
    const ran = await running([...cleaned.keys()])
    expect([...ran].map(at => [...cleaned.values()][at])).toEqual([])
  },
  120_000,
)

test.skipIf(!hasBrowser)(
  'the browser would run hundreds of them as they are',
  async () => {
    expect((await running(attackShapes())).size).toBeGreaterThan(150)
  },
  120_000,
)
