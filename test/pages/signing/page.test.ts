import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LETTER, SIGNATURE } from '../../products/esigndoc/parts.ts'
import { expectGood } from '../../support/browser/good.ts'
import { collectErrors } from '../../support/browser/open.ts'
import { PHONE, visitAccount } from '../../support/browser/visit.ts'
import { FIELDS, openSigningPages } from '../../support/people/signing-pages.ts'
import type { Stack } from '../../support/stack/start.ts'

let pages: Awaited<ReturnType<typeof openSigningPages>>
let browser: Browser
let owner: (typeof pages)['owner']
let url: string
beforeAll(async () => {
  pages = await openSigningPages()
  ;({ browser, owner, url } = pages)
})
afterAll(() => pages[Symbol.asyncDispose]())

const SCREENS = [
  { viewport: PHONE, colorScheme: 'light', locale: 'de-DE' },
  { viewport: PHONE, colorScheme: 'dark', locale: 'fr-FR' },
  { viewport: { width: 1440, height: 900 }, colorScheme: 'light', locale: 'es-ES' },
  { viewport: { width: 1440, height: 900 }, colorScheme: 'dark', locale: 'en-GB' },
] as const

const WIDTH = "document.querySelector('.leaf img').naturalWidth"

test.each(SCREENS)(
  'the page of a signer has no fault of access at $viewport.width pixels, $colorScheme, and speaks $locale',
  async screen => {
    const { link } = await pages.make()
    const context = await browser.newContext(screen)
    const page = await context.newPage()
    const errors = collectErrors(page)
    await page.goto(link)
    expect(await page.getAttribute('html', 'lang')).toBe(screen.locale.slice(0, 2))
    await expect.poll(() => page.evaluate(WIDTH)).toBeGreaterThan(300)
    await expectGood(page, `signing-${screen.viewport.width}-${screen.colorScheme}`)
    expect(errors).toEqual([])
    await context.close()
  },
)

test('what is filled in is saved, also while another field is not whole yet', async () => {
  const mail = { id: 'mail', type: 'email', label: 'Mail', page: 1, x: 40, y: 60, required: false }
  const { id, link } = await pages.make({ fields: [...FIELDS, mail] })
  const context = await browser.newContext({ viewport: PHONE })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByLabel('Mail').fill('ida@')
  await page.getByLabel('City').fill('Köln')
  const readSaved = async (field: string) => (await owner.read(id)).fields.find(one => one.id === field)!.value
  await expect.poll(() => readSaved('city')).toBe('Köln')
  expect(await readSaved('mail')).toBe(null)
  await context.close()
})

test('a person on a phone fills in, draws and signs; a look at the link alone changes nothing', async () => {
  const { id, link } = await pages.make()
  await fetch(link)
  expect((await owner.read(id)).recipients[0]!.status).toBe('notified')
  const context = await browser.newContext({ viewport: PHONE, hasTouch: true })
  const page = await context.newPage()
  let bytes = 0
  page.on('response', answer => {
    void answer.body().then(
      body => {
        bytes += body.length
      },
      () => undefined,
    )
  })
  await page.goto(link)
  await expect.poll(() => page.evaluate(WIDTH)).toBeGreaterThan(300)
  expect(bytes).toBeLessThan(300_000)
  await expect.poll(async () => (await owner.read(id)).recipients[0]!.status).toBe('viewed')
  await page.getByLabel('City').fill('Köln')
  expect(await page.locator('#at-f1').innerText()).toBe('Köln')
  await expect.poll(async () => (await owner.read(id)).fields.find(field => field.id === 'city')!.value).toBe('Köln')
  const order = "[...document.querySelectorAll('[data-field]')].map(one => one.dataset.field)"
  expect(await page.evaluate(order)).toEqual(['city', 'pet', 'kind', 'day'])
  expect(await page.getByLabel('Which').isVisible()).toBe(false)
  await page.getByLabel('I have a pet').check()
  await page.getByLabel('Which').fill('A cat')
  await page.getByLabel('Draw it').check()
  await page.locator('#consent').check()
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').innerText()).toContain('blank')
  // The page draws once its script has run.
  await page.waitForLoadState()
  expect(await page.getByLabel('City').inputValue()).toBe('Köln')
  await page.getByLabel('Draw it').check()
  const canvas = page.locator('canvas')
  await canvas.scrollIntoViewIfNeeded()
  const box = (await canvas.boundingBox())!
  await page.mouse.move(box.x + 20, box.y + 60)
  await page.mouse.down()
  for (const [x, y] of [
    [80, 20],
    [150, 70],
    [240, 30],
  ] as const)
    await page.mouse.move(box.x + x, box.y + y)
  await page.mouse.up()
  await page.locator('#consent').check()
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  // While it is being sealed the page loads itself anew.
  await page.getByText('The sealed document is here').waitFor({ timeout: 120_000 })
  expect((await owner.read(id)).status).toBe('completed')
  await expectGood(page, 'signing-done')
  await context.close()
})

test('without scripts and by keyboard alone a person signs, or declines', async () => {
  const { id, link } = await pages.make()
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, locale: 'de-DE' })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByLabel('City').focus()
  await page.keyboard.type('Bonn')
  await page.getByRole('button', { name: 'Unterschreiben', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').innerText()).toContain('Häkchen')
  await page.locator('#consent').focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Unterschreiben', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Danke').or(page.getByText('Alle haben')).first().waitFor()
  expect(['sealing', 'completed']).toContain((await owner.read(id)).status)
  const other = await pages.make()
  await page.goto(other.link)
  await page.locator('summary', { hasText: 'Ablehnen' }).click()
  await page.getByLabel('Warum?').fill('Zu teuer')
  await page.getByRole('button', { name: /Ablehnen, damit|Ablehnen; damit/ }).click()
  await page.getByText('Sie haben abgelehnt').waitFor()
  expect(await owner.read(other.id)).toMatchObject({ status: 'rejected', recipients: [{ declineReason: 'Zu teuer' }] })
  await page.goto(other.link)
  await page.getByText('gilt nicht mehr').waitFor()
  await context.close()
})

test('an access code opens the document in one browser, and a wrong one does not', async () => {
  const recipients = [{ name: 'Ida Weiß', verification: 'access_code', accessCode: 'blue door' }]
  const { link } = await pages.make({ recipients })
  const [context, other] = [await browser.newContext({ viewport: PHONE }), await browser.newContext()]
  const [page, visitor] = [await context.newPage(), await other.newPage()]
  await page.goto(link)
  await expectGood(page, 'signing-code')
  await page.getByLabel('Access code').fill('red door')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('not the right code').waitFor()
  await page.getByLabel('Access code').fill('blue door')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByLabel('City').waitFor()
  await visitor.goto(link)
  await visitor.getByLabel('Access code').waitFor()
  expect(await visitor.locator('.leaf').count()).toBe(0)
  await Promise.all([context.close(), other.close()])
})

test('the owner finds envelopes with their trail, and moves fields of a template with the mouse and the keyboard', async () => {
  const { id } = await pages.make()
  const made = await owner.call('POST', '/v1/esigndoc/templates', {
    ...{ file: await LETTER(), name: 'Letter', roles: [{ key: 'tenant', name: 'Tenant' }] },
    fields: [{ key: 'sign', role: 'tenant', ...SIGNATURE }],
  })
  const { db } = pages.home.api.context
  const stack = { url, db } as unknown as Stack
  const { page, context, complaints } = await visitAccount(browser, stack, owner.accountId, { viewport: PHONE })
  await page.goto(`${url}/dashboard/envelopes`)
  expect(await page.innerText('main')).toContain('Lease')
  await expectGood(page, 'envelopes')
  await page.goto(`${url}/dashboard/envelopes/${id}`)
  expect(await page.innerText('main')).toContain('notified')
  await expectGood(page, 'envelope')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${url}/dashboard/envelopes/templates/${made.body.id}`)
  const spot = page.locator('.spot')
  await spot.waitFor()
  await expectGood(page, 'template-editor')
  await spot.focus()
  await page.keyboard.press('ArrowRight')
  expect(await page.locator('[name=x0]').inputValue()).toBe('10.5')
  const box = (await spot.boundingBox())!
  await page.mouse.move(box.x + 5, box.y + 5)
  await page.mouse.down()
  await page.mouse.move(box.x + 105, box.y + 5)
  await page.mouse.up()
  const x = Number(await page.locator('[name=x0]').inputValue())
  expect(x).toBeGreaterThan(15)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved as version 2').waitFor()
  expect((await owner.call('GET', `/v1/esigndoc/templates/${made.body.id}`)).body.fields[0].x).toBe(x)
  expect(complaints).toEqual([])
  await context.close()
})
