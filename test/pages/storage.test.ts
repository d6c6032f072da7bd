import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { findViolations } from '../support/browser/axe.ts'
import { closePages, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { measureOverflow, PHONE, visitAccount } from '../support/browser/visit.ts'
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

async function create(body: object): Promise<{ id: string; tokens: { id: string; writer: string }[] }> {
  const answer = await customer.post('/v1/baton', { tier: 'femto', ...body })
  expect(answer.status).toBe(201)
  return answer.body
}

async function expectGoodPage(page: Page): Promise<void> {
  expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
  expect(await findViolations(page)).toEqual([])
}

test('the owner sees batons and leases with their states, quotas and ends, and nobody else does', async () => {
  const { context: empty, page: emptyPage } = await visitAccount(browser, stack, customer.accountId)
  await emptyPage.goto('/dashboard/storage')
  expect(await emptyPage.getByText('No batons yet.').isVisible()).toBe(true)
  await empty.close()

  const tokens = [{ type: 'read', reads_allowed: 1 }, { type: 'read_write' }]
  const log = await create({ preset: 'scratchpad', name: 'Build <b>log</b>', content: 'x'.repeat(2_000), tokens })
  expect((await stack.anonymous.get(`/v1/baton/${log.tokens[0]!.id}`)).status).toBe(200)
  const pass = await create({ preset: 'pass', content: 'secret' })
  expect((await stack.anonymous.get(`/v1/baton/${pass.tokens[0]!.id}`)).status).toBe(200)
  const deleted = await create({ preset: 'drop', name: 'Deleted one' })
  await customer.delete(`/v1/baton/${deleted.id}`)
  const expired = await create({ preset: 'drop', name: 'Expired one' })
  await rows(stack.db, "update svc.baton set expires_at = now() - interval '1 hour' where id = $1", [expired.id])
  const sealed = await create({ preset: 'ledger', name: 'Sealed one', content: 'x' })
  const witnessed = await customer.post(`/v1/baton/${sealed.id}/trust/document-witness`, {})
  expect(witnessed.status, witnessed.text).toBeLessThan(300)
  const knowledge = await create({ preset: 'vector', name: 'Knowledge' })
  const values = { vectors: [{ id: 'a', values: [0.1, 0.9] }] }
  expect((await customer.post(`/v1/baton/${knowledge.id}/vectors`, values)).status).toBe(200)
  const headers = { 'x-workflow-id': 'nightly-import' }
  const lease = { method: 'POST', headers, body: { step: 3 } }
  expect((await customer.request('/api/checkpoint', lease)).status).toBe(201)
  const mailbox = { method: 'POST', headers: { 'x-label': 'Callbacks' } }
  expect((await customer.request('/api/mailbox', mailbox)).status).toBe(201)

  const { context, page, complaints } = await visitAccount(browser, stack, customer.accountId)
  await page.getByRole('link', { name: 'Storage' }).click()
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  expect(await row('Build <b>log</b>').innerText()).toMatch(
    /active[\s\S]*2\.0 kB of 66 kB stored[\s\S]*1 of 1,000 reads/,
  )
  expect(await row('pass').innerText()).toContain('burned')
  expect(await row('Deleted one').innerText()).toContain('deleted')
  expect(await row('Expired one').innerText()).toContain('expired')
  expect(await row('Sealed one').innerText()).toContain('witnessed')
  const vectors = '1 vector, 2 dimensions, cosine, own, compared one by one'
  expect(await row('Knowledge').innerText()).toContain(vectors)
  expect(await row('nightly-import').innerText()).toMatch(/10 bytes of[\s\S]*version 1/)
  expect(await row('Callbacks').innerText()).toContain('0 messages')
  await expectGoodPage(page)
  await saveScreenshot(page, 'storage')

  await page.getByRole('link', { name: 'Build <b>log</b>' }).click()
  await page.getByRole('heading', { name: 'Build <b>log</b>' }).waitFor()
  expect(await row(log.tokens[0]!.writer.slice(-12)).first().innerText()).toMatch(/exhausted[\s\S]*1 of 1 reads/)
  expect(await page.content()).not.toContain(log.tokens[0]!.id)
  expect(await page.getByRole('row').filter({ hasText: 'token.exhausted' }).count()).toBe(1)
  await expectGoodPage(page)
  await page.setViewportSize(PHONE)
  await expectGoodPage(page)
  await saveScreenshot(page, 'storage-details-phone')
  await page.goto('/dashboard/storage')
  await expectGoodPage(page)
  await saveScreenshot(page, 'storage-phone')
  expect(complaints).toEqual([])
  await context.close()

  const { page: strange } = await visitAccount(browser, stack, (await stack.customer()).accountId)
  await strange.goto(`/dashboard/storage/${log.id}`)
  expect(await strange.getByText('Build').count()).toBe(0)
  await strange.goto('/dashboard/storage')
  expect(await strange.getByText('No live leases.').isVisible()).toBe(true)
})

test('the owner revokes a token and deletes a baton there, and nobody else can', async () => {
  const owner = await stack.customer()
  const created = await owner.post('/v1/baton', {
    ...{ tier: 'femto', preset: 'scratchpad', name: 'To be ended', content: 'x' },
    tokens: [{ type: 'read' }, { type: 'read_write' }],
  })
  const { id, tokens } = created.body as { id: string; tokens: { id: string; writer: string }[] }
  const [read, write] = tokens as [{ id: string; writer: string }, { id: string; writer: string }]
  const { context, page, complaints } = await visitAccount(browser, stack, owner.accountId)
  await page.goto(`/dashboard/storage/${id}`)
  await expectGoodPage(page)
  await page.getByRole('button', { name: `Revoke ${shortenWriter(read.writer)}` }).click()
  await page.getByText('The token is revoked.').waitFor()
  const row = page.getByRole('row').filter({ hasText: shortenWriter(read.writer) })
  expect(await row.first().innerText()).toContain('revoked')
  expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(1)
  expect((await stack.anonymous.get(`/v1/baton/${read.id}`)).status).toBe(410)
  expect((await stack.anonymous.get(`/v1/baton/${write.id}`)).status).toBe(200)
  await expectGoodPage(page)

  const { context: other, page: strange } = await visitAccount(browser, stack, (await stack.customer()).accountId)
  await strange.goto('/dashboard/storage')
  const csrf = await strange.locator('input[name=csrf]').first().inputValue()
  for (const [action, form] of [
    ['delete', {}],
    ['revoke', { token: write.writer.replace('token:', '') }],
  ] as const) {
    const headers = { origin: stack.url }
    const sent = { headers, form: { csrf, ...form } }
    const answer = await other.request.post(`${stack.url}/dashboard/storage/${id}/${action}`, sent)
    expect(answer.status(), action).toBe(404)
  }
  await other.close()
  expect((await stack.anonymous.get(`/v1/baton/${write.id}`)).status).toBe(200)

  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Delete baton' }).click()
  await page.getByText('The baton is deleted.').waitFor()
  expect(await page.getByRole('row').filter({ hasText: 'To be ended' }).innerText()).toContain('deleted')
  expect((await stack.anonymous.get(`/v1/baton/${write.id}`)).status).toBe(410)
  await page.goto(`/dashboard/storage/${id}`)
  expect(await page.getByRole('button', { name: /Revoke|Delete baton/ }).count()).toBe(0)
  expect(complaints).toEqual([])
  await context.close()
})

/** As the pages show it. */
function shortenWriter(writer: string): string {
  return `token:…${writer.slice(-12)}`
}
