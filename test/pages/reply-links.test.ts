import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignInLink } from '../../ops/providers/sign-in/link.ts'
import { createLink } from '../../sql/session.ts'
import { findViolations } from '../support/browser/axe.ts'
import { expectGoodPage, openLink } from '../support/browser/links.ts'
import { closePages, openBrowser } from '../support/browser/open.ts'
import { measureOverflow, PHONE } from '../support/browser/visit.ts'
import { injectWallet } from '../support/browser/wallet.ts'
import { openIdleStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

/** The secret that startStack configures. */
const SECRET = 'a secret of the tests alone'

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
  await expectGoodPage(browser, url, 'ask-approval')
  await using link = await openLink(browser, url)
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
  await expectGoodPage(browser, url, 'ask-edit')
  await using link = await openLink(browser, url)
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

test('the Enter key in a field neither approves nor denies', async () => {
  const url = await ask({ question: 'May I delete it?', maxReplies: 2 })
  await using link = await openLink(browser, url)
  await link.page.getByLabel('Your name').fill('Ida')
  await link.page.keyboard.press('Enter')
  expect(await link.page.getByRole('alert').innerText()).toContain('decision')
  expect(await link.page.getByLabel('Your name').inputValue()).toBe('Ida')
  await link.page.getByRole('button', { name: 'Deny' }).click()
  expect(await link.page.getByRole('status').first().innerText()).toContain('has arrived')
  const { data } = (await customer.get('/v1/bridge/asks?limit=1')).body
  expect(data[0].replies).toMatchObject([{ recipient: 'Ida', decision: 'denied' }])
})

test('a choice, a form and a file are given on a phone without scripts', async () => {
  const [choice, form, file] = [
    await ask({ kind: 'choice', options: OPTIONS }),
    await ask({ kind: 'form', schema: FORM }),
    await ask({ kind: 'file', attachments: [{ name: 'plan.txt', inline: 'cGxhbg==' }] }),
  ]
  for (const [url, name] of [
    [choice, 'ask-choice'],
    [form, 'ask-form'],
    [file, 'ask-file'],
  ] as const)
    await expectGoodPage(browser, url, name)
  await using first = await openLink(browser, choice)
  await first.page.getByLabel('Keep <it>').check()
  await first.page.getByRole('button', { name: 'Send' }).click()
  await using second = await openLink(browser, form)
  await second.page.getByLabel('Amount').fill('2')
  await second.page.getByLabel('Colour').selectOption('blue')
  await second.page.getByLabel('I agree').check()
  await second.page.getByRole('button', { name: 'Send' }).click()
  await using third = await openLink(browser, file)
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

test('a contract is read and signed by a browser wallet, and by an account that is signed in', async () => {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const parties = [
    { key: 'seller', method: 'wallet', address: wallet.address },
    { key: 'buyer', method: 'account', customerId: customer.accountId },
  ]
  const terms = '# Delivery\n\n- 10,000 rows <b>now</b>\n- [terms](https://evil.example/)'
  const created = await customer.post('/v1/contracts', { title: 'Data <set>', terms, parties })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  const [seller, buyer] = created.body.partyUrls.map(({ url }: { url: string }) => url) as [string, string]
  await expectGoodPage(browser, seller, 'contract')
  {
    await using plain = await openLink(browser, seller)
    expect(await plain.page.innerText('main')).toContain('10,000 rows <b>now</b>')
    expect(await plain.page.getByRole('button', { name: 'Sign with the wallet' }).isVisible()).toBe(false)
  }
  const context = await browser.newContext({ viewport: PHONE, baseURL: stack.url })
  const page = await context.newPage()
  await injectWallet(page, wallet)
  await page.goto(seller)
  await page.getByLabel('I have read the contract').check()
  await page.getByRole('button', { name: 'Sign with the wallet' }).click()
  await page.getByText('You have signed.').waitFor()
  await page.goto(buyer)
  expect(await page.getByRole('button', { name: 'Sign', exact: true }).count()).toBe(0)
  const { url, hash } = createSignInLink({ secret: SECRET, publicUrl: stack.url })
  await createLink(stack.db, { hash, accountId: customer.accountId, minutes: 15 })
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in to coinop' }).click()
  await page.waitForURL(buyer)
  await page.goto('/dashboard/inbox')
  await page.getByRole('link', { name: 'Data <set>' }).click()
  await page.getByLabel('I have read the contract').check()
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await page.getByText('All parties that are required have signed').waitFor()
  for (const path of [
    '/dashboard/contracts',
    '/dashboard/asks',
    '/dashboard/inbox',
    `/dashboard/contracts/${created.body.id}`,
  ]) {
    await page.goto(path)
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0)
    expect(await findViolations(page)).toEqual([])
  }
  await page.goto('/dashboard/asks')
  await page.locator('td a').first().click()
  await page.getByRole('heading', { name: 'Who is asked' }).waitFor()
  expect(await findViolations(page)).toEqual([])
  await context.close()
})
