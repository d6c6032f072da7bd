import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeKey, showKeys } from '../../../sql/key.ts'
import { FakeChain } from '../../support/chain/fake-chain.ts'
import { decodeHeader } from '../../support/chain/in-process-paid-api.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { callTool } from '../../support/mcp/client.ts'
import { openAccountKey } from '../../support/mcp/key.ts'
import {
  type EnvelopeApi,
  inspectPdf,
  LETTER,
  openEnvelopeApi,
  openSender,
  openSigner,
  SIGNATURE,
  tokenOf,
} from './parts.ts'

const run = promisify(execFile)
const PATH = '/v1/esigndoc/envelopes'

const chain = new FakeChain()
let home: EnvelopeApi
beforeAll(async () => {
  home = await openEnvelopeApi({}, chain)
})
afterAll(() => home[Symbol.asyncDispose]())

test('a wallet without an account pays for an envelope, and fetches the signed document as the same wallet', async () => {
  const { app } = home.api
  const wallet = chain.wallet()
  const payload = { file: await LETTER(), recipients: [{ name: 'Ida' }], fields: [SIGNATURE] }
  const post = (headers: Record<string, string>) =>
    home.withWorker(app.inject({ method: 'POST', url: PATH, headers, payload }))
  const offered = await post({})
  expect(offered.statusCode, offered.body).toBe(402)
  expect(offered.json().price.micros).toBe('300000')
  const { accepts } = decodeHeader(offered.headers['payment-required']) as unknown as { accepts: { amount: string }[] }
  const sent = await post({ 'payment-signature': wallet.pay(BigInt(accepts[0]!.amount)) })
  expect(sent.statusCode, sent.body).toBe(201)
  expect(decodeHeader(sent.headers['payment-response'])).toMatchObject({ success: true, payer: wallet.address })
  const signer = openSigner(home, tokenOf(sent.json(), 'Ida'))
  expect((await signer.complete()).status).toBe(200)
  await home.work()
  const { message } = (await app.inject({ url: `/v1/auth/challenge?wallet=${wallet.address}` })).json()
  const proof = { message, signature: wallet.signText(message) }
  const { token } = (await app.inject({ method: 'POST', url: '/v1/auth/verify', payload: proof })).json()
  const headers = { authorization: `Bearer ${token}` }
  const url = `${PATH}/${sent.json().id}/signed-document`
  expect((await app.inject({ url })).statusCode).toBe(401)
  const { output } = (await app.inject({ url, headers })).json()
  expect((await inspectPdf(Buffer.from(output.inline, 'base64'))).signatures).toContain('Signature is Valid')
})

test('an agent has a document signed by tools alone, and gets it as a link', async () => {
  const { app, context } = home.api
  const { key } = await openAccountKey(context, 1_000_000n)
  const headers = { authorization: `Bearer ${key}` }
  const tool = async (name: string, args: object) => {
    const { body } = await home.withWorker(callTool(app, `esigndoc_${name}`, args, { headers, url: '/mcp/full' }))
    expect(body.result?.isError, JSON.stringify(body)).toBe(false)
    return body.result
  }
  const draft = (await tool('create_envelope', { file: await LETTER(), recipients: [{ name: 'Ida' }] }))
    .structuredContent
  await tool('add_fields', { envelope: draft.id, ...SIGNATURE })
  const sent = (await tool('send_envelope', { id: draft.id })).structuredContent
  expect(sent.status).toBe('sent')
  await openSigner(home, tokenOf(sent, 'Ida')).complete()
  await home.work()
  expect((await tool('read_status', { id: draft.id })).structuredContent.status).toBe('completed')
  const { content, structuredContent } = await tool('read_signed_document', { id: draft.id })
  expect(content).toContainEqual(expect.objectContaining({ type: 'resource_link', mimeType: 'application/pdf' }))
  expect(structuredContent.output).toMatchObject({ outputKey: expect.any(String), outputUrl: expect.any(String) })
})

test('an office document is signed as a PDF, fields come as an array, and the result goes into further calls', async () => {
  const owner = await openSender(home)
  const office = {
    inline: (await readFile('tasks/samples/log-book.docx')).toString('base64'),
    name: 'log-book.docx',
  }
  const draft = await owner.send({ file: office, recipients: [{ name: 'Ida' }] })
  expect(draft).toMatchObject({ status: 'draft', title: 'log-book', files: [{ name: 'log-book.docx' }] })
  const fields = [SIGNATURE, { type: 'date', page: -1, x: 60, y: 80 }]
  const added = await owner.call('POST', `${PATH}/${draft.id}/fields`, fields)
  expect(added.body.data, JSON.stringify(added.body)).toHaveLength(2)
  expect((await owner.call('POST', `${PATH}/${draft.id}/fields`, [])).body.code).toBe('INVALID_PARAM')
  const sent = await owner.call('POST', `${PATH}/${draft.id}/send`)
  await openSigner(home, tokenOf(sent.body, 'Ida')).complete()
  await home.work()
  const { body: signed } = await owner.call('GET', `${PATH}/${draft.id}/signed-document`)
  expect((await inspectPdf(Buffer.from(signed.output.inline, 'base64'))).signatures).toContain('Signature is Valid')
  const again = { file: { inputKey: signed.output.outputKey } }
  const verified = await owner.call('POST', '/v1/esigndoc/verify', again)
  expect(verified.body).toMatchObject({ isValid: true, issuedHere: true })
  const other = await openSender(home)
  expect((await other.call('POST', '/v1/esigndoc/verify', again)).body.code).toBe('INPUT_NOT_FOUND')
  const output = await owner.call('GET', `/v1/outputs/${signed.output.outputKey}`)
  expect([output.status, output.body.contentType]).toEqual([200, 'application/pdf'])
})

test('a batch that is asked for again under its key is made once', async () => {
  const owner = await openSender(home)
  const template = await owner.call('POST', '/v1/esigndoc/templates', {
    ...{ file: await LETTER(), name: 'Letter', roles: [{ key: 'tenant', name: 'Tenant' }] },
    fields: [{ key: 'sign', role: 'tenant', ...SIGNATURE }],
  })
  const rows = ['Ida', 'Bo'].map(name => ({ recipients: [{ role: 'tenant', name }] }))
  const body = { templateId: template.body.id, rows, sendImmediately: true }
  const once = { 'idempotency-key': 'batch-of-may' }
  const [first, second] = [
    await owner.call('POST', `${PATH}/bulk`, body, once),
    await owner.call('POST', `${PATH}/bulk`, body, once),
  ]
  expect([first.status, second.body.id]).toEqual([202, first.body.id])
  const other = await owner.call('POST', `${PATH}/bulk`, { ...body, rows: rows.slice(1) }, once)
  expect(other.body.code).toBe('IDEMPOTENCY_CONFLICT')
  await home.work()
  expect(await owner.money()).toEqual([1_400_000n, 0n])
})

test('a batch spends no more than its caller and the key with which it was made allow', async () => {
  const owner = await openSender(home)
  const template = await owner.call('POST', '/v1/esigndoc/templates', {
    ...{ file: await LETTER(), name: 'Letter', roles: [{ key: 'tenant', name: 'Tenant' }] },
    fields: [{ key: 'sign', role: 'tenant', ...SIGNATURE }],
  })
  const { db } = home.api.context
  const [key] = (await showKeys(db, owner.accountId)) as { prefix: string }[]
  await changeKey(db, { accountId: owner.accountId, prefix: key!.prefix }, { dailyCapMicros: 400_000n })
  const rows = ['Ida', 'Bo'].map(name => ({ recipients: [{ role: 'tenant', name }] }))
  const body = { templateId: template.body.id, rows, sendImmediately: true }
  const dear = await owner.call('POST', `${PATH}/bulk`, body, { 'x-max-price-micros': '599999' })
  expect(dear.body).toMatchObject({ code: 'PRICE_ABOVE_LIMIT', amountMicros: '600000', limitMicros: '599999' })
  expect((await owner.call('GET', PATH)).body.data).toEqual([])
  const { body: batch } = await owner.call('POST', `${PATH}/bulk`, body, { 'x-max-price-micros': '600000' })
  await home.work()
  const { body: sent } = await owner.call('GET', `/v1/esigndoc/batches/${batch.id}`)
  const statuses = sent.rows.map(({ status }: { status: string }) => status)
  expect(statuses.toSorted()).toEqual(['draft', 'sent'])
  const refused = sent.rows[statuses.indexOf('draft')]
  expect(refused.problem).toMatchObject({ code: 'SPEND_LIMIT_REACHED', limit: 'day', spentMicros: '300000' })
  expect(await owner.money()).toEqual([1_700_000n, 0n])
})

test('the ledger of an envelope is witnessed when it ends, and its evidence shows that without the service', async () => {
  const owner = await openSender(home)
  const sent = await owner.send({ file: await LETTER(), recipients: [{ name: 'Ida' }], fields: [SIGNATURE] })
  const { batonId } = sent as unknown as { batonId: string }
  expect((await owner.call('GET', `${PATH}/${sent.id}/evidence`)).body.ledger).toBe(null)
  await openSigner(home, tokenOf(sent, 'Ida')).complete()
  await home.work()
  const proof = await owner.call('GET', `/v1/baton/${batonId}/trust/proof`)
  const { body: evidence } = await owner.call('GET', `${PATH}/${sent.id}/evidence`)
  expect(evidence.ledger.statement).toEqual(proof.body.statement)
  await using folder = await freshFolder()
  const check = async (changed: object) => {
    await writeFile(join(folder.path, 'evidence.json'), JSON.stringify(changed))
    const args = [join(folder.path, 'verify.mjs'), join(folder.path, 'evidence.json')]
    return run(process.execPath, args).catch((error: { stderr: string }) => ({ stdout: error.stderr }))
  }
  await writeFile(join(folder.path, 'verify.mjs'), (await home.api.app.inject('/v1/esigndoc/verifier')).body)
  const { stdout } = await check(evidence)
  expect(stdout).toMatch(new RegExp(`^OK: ${sent.id} is completed, .*entries 1 to \\d+ witnessed at `))
  const entries = evidence.ledger.headers.entries.slice(0, -1)
  const cut = { ...evidence, ledger: { ...evidence.ledger, headers: { ...evidence.ledger.headers, entries } } }
  expect((await check(cut)).stdout).toContain('the ledger is not the one that was witnessed')
  const cancelled = await owner.send({ file: await LETTER(), recipients: [{ name: 'Ida' }], fields: [SIGNATURE] })
  await owner.call('DELETE', `${PATH}/${cancelled.id}`)
  await home.work()
  expect((await owner.call('GET', `${PATH}/${cancelled.id}/evidence`)).body.ledger).not.toBe(null)
})
