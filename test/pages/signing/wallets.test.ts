import type { Browser } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { injectWallet } from '../../support/browser/wallet.ts'
import { openSigningPages } from '../../support/people/signing-pages.ts'

let pages: Awaited<ReturnType<typeof openSigningPages>>
let browser: Browser
beforeAll(async () => {
  pages = await openSigningPages()
  ;({ browser } = pages)
})
afterAll(() => pages[Symbol.asyncDispose]())

const holder = privateKeyToAccount(generatePrivateKey())
const asked = { recipients: [{ name: 'Ida Weiß', verification: 'wallet', wallet: holder.address }] }

test.each([
  ['de', 'Mit der Wallet unterschreiben', 'Sie haben in der Wallet abgelehnt.', 'Wählen Sie dieses Konto'],
  ['fr', 'Signer avec le portefeuille', 'Vous avez refusé dans le portefeuille.', 'Choisissez ce compte'],
  ['es', 'Firmar con la cartera', 'Lo ha rechazado en la cartera.', 'Elija esa cuenta'],
  ['en', 'Sign with the wallet', 'You declined in the wallet.', 'Choose that account'],
])('what goes on in a wallet is said in the language of the page (%s)', async (language, button, declined, other) => {
  const { link } = await pages.make(asked)
  for (const [account, words] of [
    [holder, declined],
    [privateKeyToAccount(generatePrivateKey()), other],
  ] as const) {
    const page = await browser.newPage({ locale: language })
    const wallet = await injectWallet(page, account)
    wallet.declines = true
    await page.goto(link)
    await page.getByRole('button', { name: button }).click()
    await page.getByText(words).waitFor()
    if (account !== holder) continue
    wallet.declines = false
    await page.getByRole('button', { name: button }).click()
    await page.locator('#consent').waitFor()
    await page.close()
  }
})

test('a link that is in use elsewhere says so in the language of its reader, on each of its addresses', async () => {
  const { link } = await pages.make({ singleSession: true })
  const first = await browser.newPage()
  await first.goto(link)
  await first.getByRole('button', { name: 'Open the document' }).click()
  await first.locator('#consent').waitFor()
  const headers = { 'accept-language': 'de' }
  const words = /in einem anderen Browser benutzt. Bitten Sie .+ um einen neuen/
  for (const address of [link, `${link}/document`, `${link}/page/0/1`])
    expect(await (await fetch(address, { headers })).text(), address).toMatch(words)
  const body = new FormData()
  for (const [name, value] of Object.entries({ act: 'decline', reason: 'No', lang: 'de' })) body.append(name, value)
  const answer = await fetch(link, { method: 'POST', body, headers: { origin: pages.url } })
  expect(answer.status).toBe(410)
  expect(await answer.text()).toMatch(words)
})

test('the address of a document leads one who has not shown who they are to where they do', async () => {
  const { link } = await pages.make(asked)
  const page = await browser.newPage()
  await page.goto(`${link}/document`)
  expect(page.url()).toBe(link)
  await page.getByText('sign a message with the wallet').waitFor()
})
