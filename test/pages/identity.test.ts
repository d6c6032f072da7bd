import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { value } from '../../sql/db.ts'
import { expectGood, expectGoodInBothSchemes } from '../support/browser/good.ts'
import { closePages, openBrowser } from '../support/browser/open.ts'
import { PHONE, visitAccount } from '../support/browser/visit.ts'
import { allowReviewsOf } from '../support/people/reviews.ts'
import { openIdleStack } from '../support/stack/default.ts'
import { runCli } from '../support/stack/run-cli.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let browser: Browser
let customer: Customer
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([openIdleStack(), openBrowser()])
  customer = await stack.customer()
  await allowReviewsOf(stack)
})
afterAll(async () => {
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})

const DESK = { width: 1440, height: 900 }

const IMAGES = "[...document.querySelectorAll('.preview img')].map(one => one.naturalWidth > 0)"

async function create(body: object): Promise<{ id: string; hostedUrl: string }> {
  const { status, body: made } = await customer.post('/v1/idverify/verifications', { type: 'biometric', ...body })
  expect(status, JSON.stringify(made)).toBe(201)
  return made
}

test.each([
  ['light', 'fr'],
  ['dark', 'es'],
] as const)(
  'the page of a person has no fault of access on a phone and a desk, %s, in %s',
  async (colorScheme, locale) => {
    const { hostedUrl } = await create({ locale, redirectUrl: 'https://shop.example/' })
    await using context = await browser.newContext({ colorScheme, viewport: PHONE })
    const page = await context.newPage()
    const expectGoodOnBoth = async (part: string) => {
      for (const viewport of [DESK, PHONE]) {
        await page.setViewportSize(viewport)
        await expectGood(page, `identity-${viewport.width}-${colorScheme}-${part}`)
      }
    }
    await page.goto(hostedUrl)
    expect(await page.getAttribute('html', 'lang')).toBe(locale)
    await expectGoodOnBoth('intro')
    await page.locator('button[type=submit]').click()
    await page.locator('#front').waitFor()
    // A photo of a document may be there already; a face is to be alive.
    const cameras = ['#front', '#back', '#selfie'].map(side => page.locator(side).getAttribute('capture'))
    expect(await Promise.all(cameras)).toEqual([null, null, 'user'])
    await expectGoodOnBoth('form')
    await page.locator('#front').setInputFiles('tasks/samples/passport.png')
    await page.locator('#selfie').setInputFiles('tasks/samples/passport.png')
    await page.locator('button[type=submit]').click()
    await page.getByRole('status').waitFor()
    await expectGoodOnBoth('reading')
  },
)

test('a person without scripts and with the keyboard alone sends images', async () => {
  const { id, hostedUrl } = await create({ type: 'document' })
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(hostedUrl)
  await page.getByRole('button', { name: 'Begin' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel(/front/).setInputFiles('tasks/samples/passport.png')
  await page.getByRole('button', { name: 'Send' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('are being read').waitFor()
  expect((await customer.get(`/v1/idverify/verifications/${id}`)).body).toMatchObject({
    attemptsUsed: 1,
    reading: true,
  })
  await context.close()
})

test('a page that refused an image can be opened again', async () => {
  const { hostedUrl } = await create({ type: 'document' })
  const context = await browser.newContext({ viewport: PHONE })
  const page = await context.newPage()
  await page.goto(hostedUrl)
  await page.getByRole('button', { name: 'Begin' }).click()
  await page.getByLabel(/front/).setInputFiles('package.json')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('not').first().waitFor()
  expect(page.url()).toContain('/images')
  await page.goto(page.url())
  await page.getByLabel(/front/).waitFor()
  expect(page.url()).toBe(hostedUrl)
  await context.close()
})

test('a reviewer sees the images side by side and decides, by a link of the command line', async () => {
  const inline = (await readFile('tasks/samples/passport.png')).toString('base64')
  const { id } = await create({
    documents: { front: { inline } },
    selfie: { inline },
    subject: { lastName: 'Eriksson' },
  })
  const uuid = id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const check = { name: 'authenticity', result: 'review', detail: 'a person decides' }
  const found = { outcome: 'review', reasonCodes: [], checks: [check], read: {} }
  await value(stack.db, 'select idverify.finish_check($1, 1, $2, 30)', [uuid, JSON.stringify(found)])
  const env = {
    DATABASE_URL: stack.db.url,
    DATA_DIR: stack.dataDir,
    SECRET: 'a secret of the tests alone',
    PUBLIC_URL: stack.url,
  }
  const { stdout } = await runCli(env, 'idverify', 'link', 'Ida')
  for (const viewport of [PHONE, DESK]) {
    await using context = await browser.newContext({ viewport })
    const page = await context.newPage()
    const name = `identity-review-${viewport.width}`
    await page.goto(stdout.split('\n', 1)[0]!)
    await expectGoodInBothSchemes(page, `${name}-queue`)
    await page.goto(`${page.url()}/${uuid}`)
    expect(await page.evaluate(IMAGES)).toEqual([true, true])
    await expectGoodInBothSchemes(page, name)
    await page.getByLabel('DOC_EXPIRED').check()
    await page.keyboard.press('Enter')
    if (viewport === DESK) await page.getByRole('button', { name: 'Approve' }).click()
  }
  expect((await customer.get(`/v1/idverify/verifications/${id}`)).body).toMatchObject({
    decision: 'approved',
    reasonCodes: [],
  })
  expect((await runCli(env, 'idverify', 'decide', uuid, 'declined')).exitCode).not.toBe(0)
  expect((await runCli(env, 'idverify', 'queue')).stdout).not.toContain(uuid)
})

test('the owner finds verifications on a page of the dashboard', async () => {
  await create({ referenceId: 'customer-7' })
  const { page, context } = await visitAccount(browser, stack, customer.accountId, { viewport: PHONE })
  await page.goto(`${stack.url}/dashboard/identity`)
  expect(await page.innerText('main')).toContain('customer-7')
  await expectGood(page, 'identity-dashboard')
  await context.close()
})
