import { readdir } from 'node:fs/promises'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildDevChainVariables } from '../../../ops/dev-chain/wallets.ts'
import { type Evm, openEvm, PAYEE, type Payer } from '../../support/chain/evm.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { plainPdf } from '../../support/pdf/document.ts'
import { type Stack, startStack } from '../../support/stack/start.ts'

let evm: Evm
let stack: Stack

beforeAll(async () => {
  evm = await openEvm()
  stack = await startStack({ env: buildDevChainVariables(evm.rpcUrl) as Record<string, string> })
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await evm.stop()
})

const createPayingFetch = (payer: Payer) =>
  wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(payer as never)))
const rotate = (pay: typeof fetch, body: Buffer) =>
  pay(`${stack.url}/v1/pdf/rotate?degrees=90`, {
    method: 'POST',
    headers: { 'content-type': 'application/pdf' },
    body: new Uint8Array(body),
  })

test('a call priced by its pages is offered at that price, paid once and served', async () => {
  const payer = await evm.payer(1_000_000n)
  const document = plainPdf(30)
  const offer = await rotate(fetch, document)
  expect([offer.status, (await offer.json()).price]).toEqual([402, { micros: '30000' }])
  const paid = await rotate(createPayingFetch(payer), document)
  expect([paid.status, paid.headers.get('x-service-charged-micros')]).toEqual([200, '30000'])
  expect(await evm.balance(payer.address)).toBe(970_000n)
})

test('an invalid document costs nothing and is refused before any payment', async () => {
  const payer = await evm.payer(1_000_000n)
  const broken = await rotate(createPayingFetch(payer), Buffer.from('%PDF-1.7\nnothing of the kind'))
  expect([broken.status, (await broken.json()).code]).toEqual([422, 'PDF_PARSE_FAILED'])
  expect(await evm.balance(payer.address)).toBe(1_000_000n)
})

test('a large document is read for its price and for the job, and leaves no staged files', async () => {
  const payer = await evm.payer(1_000_000n)
  const large = Buffer.concat([plainPdf(3), Buffer.from(`\n%${'x'.repeat(300_000)}\n`)])
  const paid = await rotate(createPayingFetch(payer), large)
  expect([paid.status, paid.headers.get('x-service-charged-micros')]).toEqual([200, '3000'])
  await eventually('the staged inputs to be deleted', async () => {
    const files = await readdir(stack.dataDir, { recursive: true })
    return !files.some(name => /stage\/..\/./.test(name))
  })
})

test('the chore settles the next chunk of a known wallet once', async () => {
  const payer = await evm.payer(1_000_000n)
  const before = await evm.balance(PAYEE)
  const pay = createPayingFetch(payer)
  const hash = (text: string) =>
    pay(`${stack.url}/v1/utils/hash`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
  for (let call = 0; call < 11; call++) expect((await hash(`${call}`)).status).toBe(200)
  await eventually('the second chunk to arrive', async () => (await evm.balance(PAYEE)) === before + 20_000n, 90_000)
  expect(await evm.balance(payer.address)).toBe(980_000n)
})
