import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectGoodPage, openLink } from '../support/browser/links.ts'
import { closePages, openBrowser } from '../support/browser/open.ts'
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
  await expectGoodPage(browser, url, 'handoff')
  await using link = await openLink(browser, url)
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
  await expectGoodPage(browser, mailbox.drop_url, 'mailbox')
  await using link = await openLink(browser, mailbox.drop_url)
  const send = () =>
    Promise.all([link.page.waitForEvent('load'), link.page.getByRole('button', { name: 'Send' }).click()])
  await send()
  expect(await link.page.getByRole('alert').innerText()).toContain('body is required')
  await link.page.getByLabel('Message').fill('Grüße\nfrom a form')
  await send()
  expect(await link.page.getByRole('status').innerText()).toContain('has arrived')
  const file = { name: 'ünï.txt', mimeType: 'text/plain', buffer: Buffer.from('of a file') }
  await link.page.getByLabel('Or a file').setInputFiles(file)
  await send()
  expect(await link.page.getByRole('status').innerText()).toContain('has arrived')
  for (const [refused, reason] of [
    [{ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('PNG') }, 'type is not accepted'],
    [{ name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.alloc(2_001, 'x') }, 'larger than the limit'],
  ] as const) {
    await link.page.getByLabel('Or a file').setInputFiles(refused)
    await send()
    expect(await link.page.getByRole('alert').innerText()).toContain(reason)
  }

  const messages = `/api/mailbox/${mailbox.lease_id}/messages`
  const { items } = (await customer.get(messages)).body
  expect(items).toMatchObject([
    { content_type: 'text/plain; charset=utf-8', filename: null },
    { content_type: 'text/plain', filename: 'ünï.txt', size_bytes: 9 },
  ])
  expect((await customer.get(`${messages}/${items[0].id}`)).text).toBe('Grüße\nfrom a form')
})
