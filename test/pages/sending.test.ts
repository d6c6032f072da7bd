import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../ops/free-ports.ts'
import { rows } from '../../sql/db.ts'
import { type EnvelopeApi, LETTER, openEnvelopeApi, openSender, SIGNATURE } from '../products/esigndoc/parts.ts'
import { findViolations } from '../support/browser/axe.ts'
import { closePages, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { measureOverflow, PHONE, visitAccount } from '../support/browser/visit.ts'
import type { Stack } from '../support/stack/start.ts'

let home: EnvelopeApi
let browser: Browser
let url: string
let isOver = false
let worker: Promise<void>
beforeAll(async () => {
  const [port] = (await freePorts(1)) as [number]
  url = `http://127.0.0.1:${port}`
  ;[home, browser] = await Promise.all([openEnvelopeApi({ PUBLIC_URL: url, PORT: String(port) }), openBrowser()])
  await home.api.app.listen({ host: '127.0.0.1', port })
  worker = workOn()
})
afterAll(async () => {
  isOver = true
  await worker
  await closePages(browser)
  await home[Symbol.asyncDispose]()
})

/** A worker as long as the tests run: documents are read by it. */
async function workOn(): Promise<void> {
  while (!isOver) {
    await home.work()
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

async function visit(micros: bigint) {
  const owner = await openSender(home, micros)
  const stack = { url, db: home.api.context.db } as unknown as Stack
  const visited = await visitAccount(browser, stack, owner.accountId, { viewport: PHONE })
  return { owner, ...visited }
}

async function expectGood(page: Page, name: string): Promise<void> {
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
  expect(await findViolations(page)).toEqual([])
  await saveScreenshot(page, name)
}

/** Makes a template of the letter with these roles, from the form to the page on which its fields are placed. */
async function makeTemplate(page: Page, roles: readonly string[]): Promise<void> {
  await page.locator('#file').setInputFiles({
    ...{ name: 'Flat lease.pdf', mimeType: 'application/pdf' },
    buffer: Buffer.from((await LETTER()).inline, 'base64'),
  })
  for (const [index, role] of roles.entries()) await page.locator(`#role${index}`).fill(role)
  await page.getByRole('button', { name: 'Make the template' }).click()
  await page.waitForURL(/templates\/tpl_/)
}

async function placeSignature(page: Page, line: number, role: string): Promise<void> {
  await page.locator(`[name=k${line}]`).fill(`sign${line}`)
  await page.locator(`[name=r${line}]`).selectOption(role)
  await page.locator(`[name=t${line}]`).selectOption('signature')
  for (const [letter, value] of Object.entries({ x: '10', y: String(60 + 10 * line), w: '30', h: '6' }))
    await page.locator(`[name=${letter}${line}]`).fill(value)
}

test('a document is uploaded, its fields are placed, and it is sent, all in the browser', async () => {
  const { owner, page, context, complaints } = await visit(2_000_000n)
  await page.goto(`${url}/dashboard/envelopes`)
  await page.getByRole('link', { name: 'New template' }).click()
  await page.waitForURL(/templates\/new/)
  await expectGood(page, 'new-template')
  await page.locator('[name=turns]').check()
  await makeTemplate(page, ['Tenant', 'Landlord'])
  await page.setViewportSize({ width: 1440, height: 900 })
  await placeSignature(page, 0, 'tenant')
  await placeSignature(page, 1, 'landlord')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved as version 2').waitFor()
  await page.setViewportSize(PHONE)

  await page.getByRole('link', { name: 'Send it' }).click()
  await page.waitForURL(/\/send$/)
  await expectGood(page, 'send-template')
  expect(await page.innerText('main')).toContain('It costs $0.30')
  await page.locator('#name0').fill('Ida Weiß')
  await page.locator('#name1').fill('رنا حداد')
  await page.locator('#email1').fill('rana@example.com')
  await page.locator('#message').fill('Please sign until Friday.')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.waitForURL(/\/envelopes\/env_/)
  expect(await page.innerText('main')).toContain('Sent. Whoever has the turn can sign now.')
  expect(await page.getByRole('link', { name: 'The page of this recipient' }).count()).toBe(1)
  const id = /env_\w+/.exec(page.url())![0]
  const { body } = await owner.call('GET', `/v1/esigndoc/envelopes/${id}`)
  expect(body).toMatchObject({
    status: 'sent',
    title: 'Flat lease',
    chargedMicros: '300000',
    recipients: [
      { name: 'Ida Weiß', order: 1 },
      { name: 'رنا حداد', email: 'rana@example.com', order: 2 },
    ],
  })
  expect(complaints).toEqual([])
  await context.close()
})

test('what is wrong is said on the form, keeps what was typed, and costs nothing; sent twice, it is one envelope', async () => {
  const { owner, page, context } = await visit(500_000n)
  await page.goto(`${url}/dashboard/envelopes/templates/new`)
  await makeTemplate(page, ['Signer', 'Signer'])
  await placeSignature(page, 0, 'signer')
  await placeSignature(page, 1, 'signer-2')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved as version 2').waitFor()
  await page.getByRole('link', { name: 'Send it' }).click()
  await page.waitForURL(/\/send$/)
  await page.evaluate("document.querySelectorAll('input').forEach(input => input.removeAttribute('required'))")
  await page.locator('#email0').fill('ida@example.com')
  await page.locator('#name1').fill('Bob')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Nothing was sent, and nothing was charged.').waitFor()
  expect(await page.locator('#email0').inputValue()).toBe('ida@example.com')
  expect(await page.locator('#name0').getAttribute('aria-invalid')).toBe('true')
  await expectGood(page, 'send-template-refused')
  expect((await owner.call('GET', '/v1/esigndoc/envelopes')).body.data).toEqual([])

  await page.locator('#name0').fill('Ida')
  const sent = await page.evaluate<string[]>(`(async () => {
    const form = document.querySelector('form.card')
    const send = () => fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
    return [(await send()).url, (await send()).url]
  })()`)
  expect(sent[0]).toMatch(/env_\w+\?done=sent$/)
  expect(sent[1]).toBe(sent[0])
  expect((await owner.call('GET', '/v1/esigndoc/envelopes')).body.data).toHaveLength(1)

  // Of $0.50 there are $0.20 left, and the next one costs $0.30.
  await page.goto(page.url())
  await page.locator('#name0').fill('Ida')
  await page.locator('#name1').fill('Bob')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Nothing was sent, and nothing was charged.').waitFor()
  expect(await page.innerText('main')).toContain('balance')
  await context.close()
})

test('a form with a file is refused from elsewhere, without its token, without a document and with what is none', async () => {
  const { owner, page, context } = await visit(1n)
  const address = `${url}/dashboard/envelopes/templates/new`
  await page.goto(address)
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const csrf = await page.locator('form.card [name=csrf]').inputValue()
  const send = async (fields: Record<string, string | Blob>, origin = url) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields))
      if (typeof value === 'string') body.set(name, value)
      else body.set(name, value, 'letter.pdf')
    const answer = await fetch(address, { method: 'POST', headers: { cookie, origin }, body, redirect: 'manual' })
    return { status: answer.status, text: await answer.text() }
  }
  const file = new Blob([Buffer.from((await LETTER()).inline, 'base64')])
  expect((await send({ csrf, role0: 'Signer', file }, 'https://elsewhere.example')).status).toBe(403)
  expect((await send({ csrf: 'x', role0: 'Signer', file })).status).toBe(403)
  expect(await send({ csrf, role0: 'Signer' })).toMatchObject({ text: expect.stringContaining('Choose a document.') })
  expect(await send({ csrf, file })).toMatchObject({ text: expect.stringContaining('Name at least one role.') })
  const broken = await send({ csrf, role0: '<b>Signer', file: new Blob(['%PDF-1.7 no more']) })
  expect(broken.status).toBeGreaterThanOrEqual(400)
  expect(broken.text).toContain('value="&lt;b&gt;Signer"')
  expect((await owner.call('GET', '/v1/esigndoc/templates')).body.data).toEqual([])
  const [held] = await rows(home.api.context.db, 'select held_micros from svc.account where id = $1', [owner.accountId])
  expect(held).toEqual({ held_micros: 0n })
  expect((await send({ csrf, role0: 'Signer', file })).status).toBe(303)
  await context.close()
})

test('a draft is sent from its page at the price that it names, and a recipient gets a new link there', async () => {
  const { owner, page, context, complaints } = await visit(350_000n)
  const letter = { ...(await LETTER()), name: 'letter.pdf' }
  const draft = await owner.send({
    ...{ file: letter, title: 'A draft', recipients: [{ name: 'Ida' }, { name: 'Bob' }], sendImmediately: false },
    fields: [0, 1].map(recipient => ({ ...SIGNATURE, recipient, y: 60 + 10 * recipient })),
  })
  const address = `${url}/dashboard/envelopes/${draft.id}`
  await page.goto(address)
  await expectGood(page, 'draft-envelope')
  await page.getByRole('button', { name: 'Send for $0.30' }).click()
  await page.getByText('Sent. Whoever has the turn can sign now.').waitFor()
  const { body } = await owner.call('GET', `/v1/esigndoc/envelopes/${draft.id}`)
  expect(body).toMatchObject({ status: 'sent', chargedMicros: '300000' })

  const links = () =>
    page
      .getByRole('link', { name: 'The page of this recipient' })
      .evaluateAll(found => found.map(link => link.getAttribute('href')!))
  const [first, second] = await links()
  await page.getByRole('button', { name: 'New link for Bob' }).click()
  await page.getByText('The recipient has a new link.').waitFor()
  await expectGood(page, 'envelope-new-link')
  const [unchanged, renewed] = await links()
  expect([unchanged, renewed === second]).toEqual([first, false])
  expect((await fetch(second!)).status).toBe(410)
  expect((await fetch(renewed!)).status).toBe(200)

  // Of $0.35 there are $0.05 left, and the next one costs $0.15.
  const dear = await owner.send({
    ...{ file: letter, title: 'Too dear', recipients: [{ name: 'Ida' }], sendImmediately: false },
    fields: [{ ...SIGNATURE, recipient: 0 }],
  })
  await page.goto(`${url}/dashboard/envelopes/${dear.id}`)
  expect(complaints).toEqual([])
  await page.getByRole('button', { name: /^Send for/ }).click()
  await page.getByText('Nothing was sent, and nothing was charged.').waitFor()
  await expectGood(page, 'draft-refused')
  expect((await owner.call('GET', `/v1/esigndoc/envelopes/${dear.id}`)).body.status).toBe('draft')
  const { page: strange } = await visit(1n)
  await strange.goto(`${url}/dashboard/envelopes`)
  const csrf = await strange.locator('input[name=csrf]').first().inputValue()
  for (const action of ['send', 'link', 'cancel']) {
    const sent = { headers: { origin: url }, form: { csrf, recipient: body.recipients[1].id } }
    const answer = await strange.request.post(`${url}/dashboard/envelopes/${draft.id}/${action}`, sent)
    expect(answer.status(), action).toBe(404)
  }
  await context.close()
})
