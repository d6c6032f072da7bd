import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LETTER } from '../products/esigndoc/parts.ts'
import { closePages, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { PHONE, visit, visitAccount } from '../support/browser/visit.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Stack } from '../support/stack/start.ts'

const WORD = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlung'
const NAME = 'a'.repeat(60)
const WIDTHS = [PHONE, { width: 800, height: 900 }, { width: 1280, height: 900 }]
const WIDEST_BOX = 24

let stack: Stack
let browser: Browser
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([openDefaultStack(), openBrowser()])
})
afterAll(async () => {
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})

/** What is wider than its place: the page, or a table in its card; and boxes to tick that are as wide as a text field. */
const FIND_WIDE = `[...document.querySelectorAll('html, .card.flush')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .concat([...document.querySelectorAll('input[type=checkbox], input[type=radio]')]
    .filter(box => box.getBoundingClientRect().width > ${WIDEST_BOX}))
  .map(({ outerHTML }) => outerHTML.slice(0, 80))`

async function expectFits(page: Page, path: string): Promise<void> {
  await page.goto(path)
  for (const size of WIDTHS) {
    await page.setViewportSize(size)
    expect([path, size.width, await page.evaluate(FIND_WIDE)]).toEqual([path, size.width, []])
    await saveScreenshot(page, `long-${size.width}${new URL(page.url()).pathname.replaceAll('/', '-').slice(0, 40)}`)
  }
}

test('names of one long word fit on every page of a dashboard, and on the page of a signer', async () => {
  const customer = await stack.customer()
  const send = async (path: string, body: object) => {
    const reply = await customer.post(path, body)
    expect([path, reply.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)])
    return reply.body
  }
  await send('/v1/bridge/asks', { question: WORD, proposal: { target: WORD } })
  await send('/v1/bridge/channels', { name: WORD.slice(0, 60) })
  await send(`/v1/bridge/locks/${NAME}`, { ttlSeconds: 600, owner: NAME })
  const file = { text: `name\n${WORD}\n` }
  await send('/v1/screening/load-list', { title: WORD, file })
  await send('/v1/screening/match', { name: WORD, referenceId: WORD, allowSample: true })
  await send('/v1/screening/monitors', { name: WORD, referenceId: WORD, allowSample: true })
  const ledger = await send('/v1/storage/ledger', { tier: 'femto', content: 'First', name: WORD })
  const envelope = await send('/v1/esigndoc/envelopes', {
    file: await LETTER(),
    title: WORD,
    recipients: [{ name: WORD, delivery: 'link' }],
    ...{ autoPlaceSignature: true, sendImmediately: true, delivery: 'link' },
  })
  const { page, context } = await visitAccount(browser, stack, customer.accountId)
  const lists = await page
    .locator('nav a[href^="/dashboard"]')
    .evaluateAll(links => links.map(link => (link as unknown as { pathname: string }).pathname))
  expect(lists.length).toBeGreaterThan(15)
  for (const path of [...new Set(lists), `/dashboard/storage/${ledger.id}`, `/dashboard/envelopes/${envelope.id}`])
    await expectFits(page, path)
  await context.close()

  const signer = await visit(browser, stack, { viewport: PHONE })
  await expectFits(signer.page, envelope.recipients[0].signingUrl)
  expect(await signer.page.getByLabel('Date').inputValue()).toBe(new Date().toISOString().slice(0, 10))
  await signer.context.close()
})
