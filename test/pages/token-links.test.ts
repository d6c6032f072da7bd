import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations } from '../support/browser/axe.ts'
import { closePages, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { measureOverflow, PHONE } from '../support/browser/visit.ts'
import { openIdleStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

let stack: Stack
let browser: Browser
let customer: Customer
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([openIdleStack(), openBrowser()])
  customer = await stack.customer()
})
afterAll(async () => {
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})

/** A visitor of a link: a phone without scripts and without an account. */
async function openLink(url: string) {
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, acceptDownloads: true })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  const response = await page.goto(url)
  return { page, response: response!, [Symbol.asyncDispose]: () => context.close() }
}

/** The same page with scripts, which the accessibility check needs. */
async function expectGoodPage(url: string, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: PHONE, colorScheme })
    const page = await context.newPage()
    await page.goto(url)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findViolations(page)).toEqual([])
    await saveScreenshot(page, `${name}-${colorScheme}`)
    await context.close()
  }
}

async function shareFile(options: object): Promise<string> {
  const headers = { 'content-type': 'text/plain', 'x-filename': 'contract <1>.txt' }
  const stored = await customer.request('/api/storage', { method: 'POST', headers, body: 'the contract' })
  expect(stored.status).toBe(201)
  const issued = await customer.post(`/api/handoff/${stored.body.lease_id}`, options)
  expect(issued.status).toBe(201)
  return issued.body.claim_url
}

test('a hand-off link opens as a page that takes nothing until its button is pressed', async () => {
  const url = await shareFile({ pin: '4711', note: 'The <b>contract</b>' })
  await expectGoodPage(url, 'handoff')
  await using link = await openLink(url)
  expect(link.response.headers()).toMatchObject({
    'cache-control': 'no-store',
    'x-robots-tag': expect.stringContaining('noindex'),
  })
  const text = await link.page.innerText('main')
  for (const part of ['contract <1>.txt', 'The <b>contract</b>', '12 bytes']) expect(text).toContain(part)

  await link.page.getByLabel('PIN').fill('0000')
  await link.page.getByRole('button', { name: 'Download' }).click()
  expect(await link.page.getByRole('alert').innerText()).toContain('4 more tries')
  await link.page.getByLabel('PIN').fill('4711')
  const [download] = await Promise.all([
    link.page.waitForEvent('download'),
    link.page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toBe('the contract')
  expect((await stack.anonymous.get(new URL(url).pathname)).body).toMatchObject({ code: 'ALREADY_CLAIMED' })
})

test('programs that read a hand-off link still get JSON, and a form of another site is refused', async () => {
  const url = await shareFile({})
  const seen = await fetch(url, { headers: { accept: 'application/json' } })
  expect([seen.status, (await seen.json()).size_bytes]).toEqual([200, 12])
  const page = url.replace('/api/handoff/claim/', '/handoff/')
  const foreign = await fetch(page, { method: 'POST', headers: { origin: 'https://evil.example' } })
  expect(foreign.status).toBe(403)
  const missing = await fetch(`${page}x`, { headers: { accept: 'text/html' } })
  expect(missing.status).toBe(404)
})

test('programs that read the address of a mailbox are told to post', async () => {
  const { body: mailbox } = await customer.request('/api/mailbox', { method: 'POST' })
  const answer = await fetch(mailbox.drop_url, { redirect: 'manual' })
  expect([answer.status, await answer.json()]).toMatchObject([405, { code: 'METHOD_NOT_ALLOWED', allowed: ['POST'] }])
})

test('the address of a mailbox opens as a form for a message or a file', async () => {
  const headers = { 'x-allowed-content-types': 'text/*', 'x-max-message-bytes': '2000' }
  const { body: mailbox } = await customer.request('/api/mailbox', { method: 'POST', headers })
  await expectGoodPage(mailbox.drop_url, 'mailbox')
  await using link = await openLink(mailbox.drop_url)
  const send = () => link.page.getByRole('button', { name: 'Send' }).click()
  await send()
  expect(await link.page.getByRole('alert').innerText()).toContain('body is required')
  await link.page.getByLabel('Message').fill('Grüße\nfrom a form')
  await send()
  expect(await link.page.getByRole('status').innerText()).toContain('has arrived')
  const file = { name: 'ünï.txt', mimeType: 'text/plain', buffer: Buffer.from('of a file') }
  await link.page.getByLabel('Or a file').setInputFiles(file)
  await send()
  expect(await link.page.getByRole('status').innerText()).toContain('has arrived')
  for (const refused of [
    { name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('PNG') },
    { name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.alloc(2_001, 'x') },
  ]) {
    await link.page.getByLabel('Or a file').setInputFiles(refused)
    await send()
    expect(await link.page.getByRole('alert').isVisible()).toBe(true)
  }

  const messages = `/api/mailbox/${mailbox.lease_id}/messages`
  const { items } = (await customer.get(messages)).body
  expect(items).toMatchObject([
    { content_type: 'text/plain; charset=utf-8', filename: null },
    { content_type: 'text/plain', filename: 'ünï.txt', size_bytes: 9 },
  ])
  expect((await customer.get(`${messages}/${items[0].id}`)).text).toBe('Grüße\nfrom a form')
})

async function ask(body: object): Promise<string> {
  const created = await customer.post('/v1/bridge/asks', { question: 'May I?', ...body })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  return created.body.replyUrls[0].url
}

const FORM = {
  type: 'object',
  properties: {
    amount: { type: 'integer', title: 'Amount', description: 'In pieces', minimum: 1 },
    colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'] },
    due: { type: 'string', format: 'date', title: 'Due' },
    agreed: { type: 'boolean', title: 'I agree' },
  },
  required: ['amount'],
}
const OPTIONS = [
  { key: 'keep', label: 'Keep <it>', description: 'Nothing changes.' },
  { key: 'drop', label: 'Drop', style: 'danger' },
]

test('the page of a question shows a hostile text as text, and its links lead where they say', async () => {
  const question =
    '# Approve\n\n<script>alert(1)</script> ![x](https://evil.example/pixel.png) [your bank](https://evil.example/)\n\n- **one**\n- `two`\n\n[run](javascript:alert(1))'
  const url = await ask({ question, urgency: 'high', context: { note: '</pre><img src=x>' }, proposal: { delete: 3 } })
  await expectGoodPage(url, 'ask-approval')
  await using link = await openLink(url)
  expect(link.response.headers()).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
  const text = await link.page.innerText('main')
  for (const part of ['<script>alert(1)</script>', 'your bank (https://evil.example/)', '"delete": 3', '</pre><img'])
    expect(text).toContain(part)
  expect(await link.page.locator('main img, main script').count()).toBe(0)
  const targets = await link.page
    .locator('main .question a')
    .evaluateAll(links => links.map(each => each.getAttribute('href')))
  expect(targets).toEqual(['https://evil.example/'])
})

test('an approval is given by a button, with a comment and an edited proposal, and then the page says so', async () => {
  const url = await ask({ proposal: { amount: 5 }, allowEdit: true })
  await expectGoodPage(url, 'ask-edit')
  await using link = await openLink(url)
  const approve = () => link.page.getByRole('button', { name: 'Approve' }).click()
  await link.page.getByLabel('The proposal').fill('{"amount": ')
  await link.page.getByLabel('Comment').fill('Less <b>please</b>')
  await approve()
  expect(await link.page.getByRole('alert').innerText()).toContain('it is not JSON')
  expect(await link.page.getByLabel('Comment').inputValue()).toBe('Less <b>please</b>')
  await link.page.getByLabel('The proposal').fill('{"amount": 3}')
  await approve()
  expect(await link.page.getByRole('status').first().innerText()).toContain('has arrived')
  await link.page.goto(url)
  expect(await link.page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  const { data } = (await customer.get('/v1/bridge/asks?limit=1')).body
  expect(data[0].replies).toMatchObject([
    { decision: 'approved', comment: 'Less <b>please</b>', editedProposal: { amount: 3 }, method: 'page' },
  ])
  const foreign = await fetch(url, { method: 'POST', headers: { origin: 'https://evil.example' } })
  expect(foreign.status).toBe(403)
})

test('a choice, a form and a file are given on a phone without scripts', async () => {
  const [choice, form, file] = [
    await ask({ kind: 'choice', options: OPTIONS }),
    await ask({ kind: 'form', schema: FORM }),
    await ask({ kind: 'file', attachments: [{ name: 'plan.txt', contentType: 'text/plain', base64: 'cGxhbg==' }] }),
  ]
  for (const [url, name] of [
    [choice, 'ask-choice'],
    [form, 'ask-form'],
    [file, 'ask-file'],
  ] as const)
    await expectGoodPage(url, name)
  await using first = await openLink(choice)
  await first.page.getByLabel('Keep <it>').check()
  await first.page.getByRole('button', { name: 'Send' }).click()
  await using second = await openLink(form)
  await second.page.getByLabel('Amount').fill('2')
  await second.page.getByLabel('Colour').selectOption('blue')
  await second.page.getByLabel('I agree').check()
  await second.page.getByRole('button', { name: 'Send' }).click()
  await using third = await openLink(file)
  const [download] = await Promise.all([third.page.waitForEvent('download'), third.page.getByText('plan.txt').click()])
  expect(await readFile(await download.path(), 'utf8')).toBe('plan')
  const bytes = { name: 'ünï.txt', mimeType: 'text/plain', buffer: Buffer.from('of a file') }
  await third.page.getByLabel('Your file').setInputFiles(bytes)
  await third.page.getByRole('button', { name: 'Send' }).click()
  for (const { page } of [first, second, third])
    expect(await page.getByRole('status').first().innerText()).toContain('has arrived')
  const { data } = (await customer.get('/v1/bridge/asks?limit=3')).body
  expect(data.map(({ replies }: { replies: { value: unknown }[] }) => replies[0]!.value)).toEqual([
    expect.objectContaining({ name: 'ünï.txt', sizeBytes: 9 }),
    { amount: 2, colour: 'blue', agreed: true },
    'keep',
  ])
})
