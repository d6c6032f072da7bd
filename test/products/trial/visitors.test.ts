import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { formatMoney } from '../../../api/pages/parts/format.ts'
import { TRIES } from '../../../api/products/trial/tries.ts'
import { rows } from '../../../sql/db.ts'
import { findTrialAccount } from '../../../sql/trial/trials.ts'
import { expectGoodPage } from '../../support/browser/links.ts'
import { closePages, openBrowser } from '../../support/browser/open.ts'
import { PHONE } from '../../support/browser/visit.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { type Stack, startStack } from '../../support/stack/start.ts'

const LIMITS = [
  'trial.enabled',
  'trial.daily_micros',
  'trial.call_micros',
  'trial.max_bytes',
  'trial.per_network',
] as const

let stack: Stack
let browser: Browser
beforeAll(async () => {
  // The proxy is trusted, so that the tests can come from any address.
  ;[stack, browser] = await Promise.all([startStack({ env: { TRUST_PROXY: '127.0.0.1' } }), openBrowser()])
})
afterAll(async () => {
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})
afterEach(async () => {
  for (const name of LIMITS) await stack.writeSetting(name, null)
  await eventually('the limits to be the declared ones', async () => {
    const { text } = await stack.anonymous.get('/try/resize-image')
    return DECLARED.every(shown => text.includes(shown))
  })
})

/** What a form shows of the declared limits. */
const DECLARED = ['<form', 'at most 8.4 MB', 'At most 20 trials', '$0.05 for one', '$1.00 a day']

const readTerms = async () => (await stack.anonymous.get('/try')).text

async function setLimit(name: (typeof LIMITS)[number], value: unknown, shown: string) {
  await stack.writeSetting(name, value)
  await eventually(`${name} to be ${String(value)}`, async () => (await readTerms()).includes(shown))
}

let networks = 0
/** An address of a network that no other test uses. */
const freshAddress = () => `198.18.${networks++}.7`

interface Given {
  name?: string
  address?: string
  fields?: Record<string, string>
  file?: Blob
  origin?: string
}

async function tryIt({
  name = 'qr-code',
  address = freshAddress(),
  fields = { use: 'sample' },
  file,
  origin,
}: Given = {}) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  if (file) form.set('file', file, 'own-file')
  const answer = await fetch(`${stack.url}/try/${name}`, {
    method: 'POST',
    body: form,
    headers: { origin: origin ?? stack.url, 'x-forwarded-for': address },
    redirect: 'manual',
  })
  return { status: answer.status, location: answer.headers.get('location') ?? '', text: await answer.text() }
}

/** The page of a result, when it has ended. */
async function readResult(location: string): Promise<string> {
  let text = ''
  await eventually('the trial to end', async () => {
    text = (await stack.anonymous.get(location)).text
    return !text.includes('still running')
  })
  return text
}

test('a visitor without scripts tries a file of their own and sees before, after, the price and the call', async () => {
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, baseURL: stack.url })
  const page = await context.newPage()
  await page.goto('/')
  await page.getByRole('link', { name: 'Try it on your own file' }).click()
  await page.getByRole('link', { name: 'Resize a picture' }).click()
  await page.getByLabel('Your file').setInputFiles('tasks/samples/passport.png')
  await page.getByLabel('Width').selectOption('160')
  await page.getByLabel('Format').selectOption('webp')
  await page.getByRole('button', { name: 'Run it on my file' }).click()
  await page.getByText('With a key this costs $0.001').waitFor()
  const readWidths = () =>
    page.locator('.preview img').evaluateAll(images => images.map(image => (image as HTMLImageElement).naturalWidth))
  // Pictures come after their page.
  await expect.poll(async () => (await readWidths()).every(width => width > 0)).toBe(true)
  const widths = await readWidths()
  expect(widths[1]).toBe(160)
  expect(widths[0]).toBeGreaterThan(160)
  expect(await page.locator('.tabs').textContent()).toContain('client.image.resize({')
  expect(await page.locator('meta[name=robots]').getAttribute('content')).toBe('noindex')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ])
  expect((await readFile(await download.path())).subarray(8, 12).toString()).toBe('WEBP')
  const address = page.url()
  await context.close()
  await expectGoodPage(browser, address, 'try-result')
})

test.each(TRIES.map(({ name }) => name))(
  '%s works with its sample, and is charged to the account of the house',
  async name => {
    const before = await readBooks()
    const { status, location, text } = await tryIt({ name })
    expect([status, /note bad[^>]*>([^<]*)/.exec(text)?.[1]]).toEqual([303, undefined])
    const page = await readResult(location)
    expect(/note bad[^>]*>([^<]*)/.exec(page)?.[1]).toBeUndefined()
    const price = /With a key this costs \$([\d.]+)/.exec(page)![1]!
    expect((await readBooks()).charged - before.charged).toBe(BigInt(Math.round(Number(price) * 1e6)))
  },
)

async function readBooks() {
  const account = await findTrialAccount(stack.db)
  const [row] = await rows<{ charged: bigint; credited: bigint; balance: bigint }>(
    stack.db,
    `select coalesce(sum(charged_micros), 0)::bigint as charged,
      (select coalesce(sum(amount_micros), 0)::bigint from svc.transfer where account_id = $1 and kind = 'topup') as credited,
      (select balance_micros + held_micros from svc.account where id = $1) as balance
    from svc.job where account_id = $1`,
    [account ?? null],
  )
  return row!
}

test('addresses of one network share its trials, also by IPv6', async () => {
  await setLimit('trial.per_network', 3, 'At most 3 trials')
  for (const addressOf of [(host: number) => `203.0.113.${host}`, (host: number) => `2001:db8:77:${host}::${host}`]) {
    const answers = []
    for (let host = 1; host <= 5; host++) answers.push((await tryIt({ address: addressOf(host) })).status)
    expect(answers).toEqual([303, 303, 303, 429, 429])
  }
  expect((await tryIt({ address: '203.0.114.1' })).status).toBe(303)
  const stored = await rows<{ network: Buffer }>(stack.db, 'select network from svc.trial_use')
  expect(stored.some(({ network }) => network.toString('latin1').includes('203.0'))).toBe(false)
})

test('a wider network has ten times as many', async () => {
  await setLimit('trial.per_network', 1, 'At most 1 trials')
  const answers = []
  for (let part = 0; part < 12; part++) answers.push((await tryIt({ address: `100.64.${part}.1` })).status)
  expect(answers).toEqual([...Array(10).fill(303), 429, 429])
})

test('when the budget of a day is used up nothing runs, and no more was credited than spent', async () => {
  const spent = Number((await readBooks()).charged)
  const daily = spent + 2_000
  await setLimit('trial.daily_micros', daily, `and ${formatMoney(BigInt(daily))} a day`)
  const answers = []
  for (let call = 0; call < 4; call++) answers.push(await tryIt())
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 503, 503])
  expect(answers[3]!.text).toContain('All trials of today are used up')
  const { charged, credited, balance } = await readBooks()
  expect(charged).toBe(BigInt(daily))
  expect(credited - charged).toBe(balance)
})

test('what is too large, too dear or no such file is refused in words, and costs nothing', async () => {
  const before = await readBooks()
  await setLimit('trial.max_bytes', 10_000, 'At most')
  await eventually('the size to apply', async () =>
    (await stack.anonymous.get('/try/resize-image')).text.includes('at most 10 kB'),
  )
  const large = await tryIt({ name: 'resize-image', fields: { use: 'file' }, file: new Blob([new Uint8Array(60_000)]) })
  expect([large.status, large.text.includes('Nothing was charged')]).toEqual([413, true])
  const odd = await tryIt({ name: 'resize-image', fields: { use: 'file', width: '99' }, file: new Blob(['hello']) })
  expect(odd.status).toBe(400)
  const wrong = await tryIt({ name: 'resize-image', fields: { use: 'file' }, file: new Blob(['hello']) })
  const shown = wrong.status === 303 ? await readResult(wrong.location) : wrong.text
  expect(shown).toMatch(/note bad/)
  const none = await tryIt({ name: 'resize-image', fields: { use: 'file' } })
  expect([none.status, none.text.includes('Choose a file')]).toEqual([422, true])
  await setLimit('trial.call_micros', 1_000, '$0.001 for one')
  const dear = await tryIt({ name: 'searchable-pdf' })
  const answer = dear.status === 303 ? await readResult(dear.location) : dear.text
  expect(answer).toContain('This file costs more than a trial may')
  expect((await readBooks()).charged).toBe(before.charged)
})

test('the operator can switch trials off', async () => {
  await setLimit('trial.enabled', false, 'switched off')
  expect((await tryIt()).status).toBe(404)
  expect((await stack.anonymous.get('/')).text).not.toContain('href="/try"><')
  expect((await stack.anonymous.get('/try/qr-code')).text).not.toContain('<form')
  expect((await stack.anonymous.get('/sitemap.xml')).text).not.toContain('/try')
})

test('the address of a result can be neither guessed nor changed, and other sites cannot send the form', async () => {
  const { location } = await tryIt()
  expect((await stack.anonymous.get(location)).status).toBe(200)
  const changed = location.replace(/.{4}$/, 'AAAA')
  expect((await stack.anonymous.get(changed)).status).toBe(404)
  expect((await stack.anonymous.get('/try/qr-code/result?of=v1.AAAA')).status).toBe(404)
  expect((await tryIt({ origin: 'https://evil.example' })).status).toBe(403)
})
