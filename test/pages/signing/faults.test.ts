import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SIGNATURE } from '../../products/esigndoc/parts.ts'
import { PHONE } from '../../support/browser/visit.ts'
import { openSigningPages } from '../../support/people/signing-pages.ts'

let pages: Awaited<ReturnType<typeof openSigningPages>>
let browser: Browser
let owner: (typeof pages)['owner']
let url: string
beforeAll(async () => {
  pages = await openSigningPages()
  ;({ browser, owner, url } = pages)
})
afterAll(() => pages[Symbol.asyncDispose]())

test('a line of thousands of points is taken, and a fault of something else does not lose it', async () => {
  const { id, link } = await pages.make({ fields: [{ ...SIGNATURE, id: 'sign' }] })
  const context = await browser.newContext({ viewport: PHONE })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByLabel('Draw it').check()
  await page.evaluate(`{
    const canvas = document.querySelector('canvas')
    canvas.setPointerCapture = () => undefined
    const { left, top, width, height } = canvas.getBoundingClientRect()
    const send = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { clientX: left + x * width, clientY: top + y * height }))
    send('pointerdown', 0.1, 0.5)
    for (let at = 0; at < 12_001; at += 1) send('pointermove', 0.5 + 0.4 * Math.sin(at), 0.5 + 0.4 * Math.cos(at))
    send('pointerup', 0.5, 0.5)
  }`)
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  expect(await page.getByRole('alert').innerText()).toContain('box')
  await page.waitForLoadState()
  const inked = `(() => {
    const canvas = document.querySelector('canvas')
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0)
  })()`
  expect(await page.evaluate(inked)).toBe(true)
  await page.locator('#consent').check()
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await page.getByText(/Thank you|Everybody has signed/).waitFor()
  await expect.poll(async () => (await owner.read(id)).status).toBe('completed')
  await context.close()
})

test.each([true, false])('the Enter key in a field signs nothing (scripts: %s)', async javaScriptEnabled => {
  const { id, link } = await pages.make()
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled })
  const page = await context.newPage()
  await page.goto(link)
  await page.locator('#consent').check()
  await page.getByLabel('City').fill('Köln')
  await page.keyboard.press('Enter')
  await page.getByText('Saved').first().waitFor()
  expect(await page.getByLabel('City').inputValue()).toBe('Köln')
  expect(await owner.read(id)).toMatchObject({ status: 'sent' })
  await context.close()
})

test.each([
  ['de', 'Dieser Wert geht nicht: Age. Mindestens 5.'],
  ['fr', 'Cette valeur ne convient pas : Age. Au moins 5.'],
  ['es', 'Este valor no sirve: Age. Como mínimo 5.'],
])('what is wrong with a value is said in the language of the signer (%s)', async (language, message) => {
  const age = { id: 'age', type: 'number', label: 'Age', page: 1, x: 40, y: 60, validation: { min: 5 } }
  const { link } = await pages.make({ fields: [{ ...SIGNATURE, id: 'sign' }, age] })
  const body = new FormData()
  for (const [name, value] of Object.entries({ lang: language, act: 'complete', consent: 'yes', 'v.age': '3' }))
    body.append(name, value)
  const answer = await fetch(link, { method: 'POST', body, headers: { origin: url } })
  expect(answer.status).toBe(422)
  expect(await answer.text()).toContain(message)
})

test('what a second tab sends after the first has signed is told in its language, and not taken', async () => {
  const { id, link } = await pages.make({ fields: [{ ...SIGNATURE, id: 'sign' }] })
  const context = await browser.newContext({ viewport: PHONE, locale: 'de-DE' })
  const [first, second] = [await context.newPage(), await context.newPage()]
  for (const page of [first, second]) await page.goto(link)
  for (const page of [first, second]) {
    await page.getByLabel('Ihr Name als Unterschrift').fill(page === first ? 'Ida Weiß' : 'Another')
    await page.locator('#consent').check()
    await page.getByRole('button', { name: 'Unterschreiben', exact: true }).click()
    await page.getByText(page === first ? 'Alle haben' : 'Sie haben schon unterschrieben').waitFor()
  }
  expect(['sealing', 'completed']).toContain((await owner.read(id)).status)
  await context.close()
})

test('a browser that loses its cookies within the form is asked for its code again, and keeps what was saved', async () => {
  const recipients = [{ name: 'Ida Weiß', verification: 'access_code', accessCode: 'blue door' }]
  const { link } = await pages.make({ recipients })
  const context = await browser.newContext({ viewport: PHONE })
  const page = await context.newPage()
  await page.goto(link)
  const prove = async () => {
    await page.getByLabel('Access code').fill('blue door')
    await page.getByRole('button', { name: 'Go on' }).click()
  }
  await prove()
  await page.getByLabel('City').fill('Köln')
  await page.getByRole('button', { name: 'Save and go on later' }).click()
  await page.getByText('Saved.').first().waitFor()
  await context.clearCookies()
  await page.locator('#consent').check()
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await page.getByText('Show again that it is you').waitFor()
  await prove()
  expect(await page.getByLabel('City').inputValue()).toBe('Köln')
  await context.close()
})
