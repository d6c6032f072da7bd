import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows, value } from '../../../sql/db.ts'
import { listEnvelopes } from '../../../sql/esigndoc/envelopes.ts'
import { findPage } from '../../../sql/esigndoc/preparations.ts'
import { forgetEnvelopes } from '../../../sql/esigndoc/steps.ts'
import { openWallet } from '../../../sql/payment.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { findSteps } from '../../../workers/steps/tasks.ts'
import { findTables } from '../../support/database/find-text.ts'
import { interruptStore, type Moment } from '../../support/machine/interrupted-store.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'
import { age, type EnvelopeApi, LETTER, openEnvelopeApi, openSender, openSigner, SIGNATURE, tokenOf } from './parts.ts'

let home: EnvelopeApi
beforeAll(async () => {
  home = await openEnvelopeApi()
})
afterAll(() => home[Symbol.asyncDispose]())

/** Words that are nowhere else: of the owner, of a recipient, and of what a recipient has uploaded. */
const WORDS = { title: 'Quetzalcoatlus', person: 'Ndrangheta-Person', note: 'Xylophonist', proof: 'Zugzwang in a file' }
/** What the law makes us keep. */
const BOOKS = ['account', 'entry', 'transfer', 'erasure']
const MOMENTS: Moment[] = ['after fetchTo', 'before put', 'after put']
const ADDRESS = '0x1da0000000000000000000000000000000000009'

type Owner = Awaited<ReturnType<typeof openSender>>

const FIELDS = [
  { ...SIGNATURE, recipient: 0 },
  { ...SIGNATURE, recipient: 1, x: 60 },
  { id: 'note', type: 'text', recipient: 0, page: 1, x: 10, y: 60, required: false },
  { id: 'proof', type: 'attachment', recipient: 0, page: 1, x: 10, y: 65, required: false },
]

async function make(owner: Owner, more: object = {}) {
  const email = `${WORDS.person}@example.com`
  const made = await owner.send({
    ...{
      file: await LETTER(),
      title: WORDS.title,
      message: WORDS.note,
      metadata: { word: WORDS.title },
      fields: FIELDS,
    },
    recipients: [{ name: WORDS.person, email }, { name: 'Bo' }],
    ...more,
  })
  return { ...made, signers: () => [WORDS.person, 'Bo'].map(name => openSigner(home, tokenOf(made, name))) }
}

async function drawSignature(): Promise<string> {
  const line = Buffer.from(
    '<svg width="300" height="90"><path d="M5 80 L150 10 L290 70" stroke="#123" stroke-width="6" fill="none"/></svg>',
  )
  return (await sharp(line).png().toBuffer()).toString('base64')
}

/** Envelopes in every state, with what people fill in, sign and upload. Returns their states. */
async function useAll(owner: Owner): Promise<string[]> {
  const template = await owner.call('POST', '/v1/esigndoc/templates', {
    ...{ file: await LETTER(), name: WORDS.title, roles: [{ key: 'tenant', name: WORDS.person }] },
    fields: [{ key: 'sign', role: 'tenant', ...SIGNATURE }],
  })
  const rows = [{ recipients: [{ role: 'tenant', name: WORDS.person }], metadata: { word: WORDS.title } }]
  const batch = { templateId: template.body.id, rows, sendImmediately: true }
  expect((await owner.call('POST', '/v1/esigndoc/envelopes/bulk', batch)).status).toBe(202)
  const [, , completed, rejected, expired, cancelled] = [
    await make(owner, { sendImmediately: false }),
    await make(owner),
    ...[await make(owner), await make(owner), await make(owner), await make(owner)],
  ] as const
  const [ida, bo] = completed.signers() as [ReturnType<typeof openSigner>, ReturnType<typeof openSigner>]
  const content = Buffer.from(WORDS.proof).toString('base64')
  expect((await ida.call('POST', '/uploads', { field: 'proof', name: 'proof.txt', content })).status).toBe(201)
  const upload = { mode: 'upload', data: await drawSignature() }
  expect((await ida.complete({ values: { note: WORDS.note }, signature: upload })).status).toBe(200)
  expect((await bo.complete()).status).toBe(200)
  expect((await rejected.signers()[0]!.call('POST', '/decline', { reason: WORDS.note })).status).toBe(200)
  await owner.call('DELETE', `/v1/esigndoc/envelopes/${cancelled.id}`)
  await age(home, expired.id, 40)
  await home.work()
  const started = await make(owner)
  await started.signers()[0]!.complete({ values: { note: WORDS.note } })
  await home.work()
  const sealing = await make(owner)
  for (const { token } of sealing.signers()) await signWithoutWorker(token)
  // Without a worker, which would seal it.
  const found = await listEnvelopes(home.api.context.db, owner.accountId, {}, { limit: 50, offset: 0 })
  return found.map(({ status }) => status)
}

/** Nothing seals what is signed so. */
async function signWithoutWorker(token: string): Promise<void> {
  const payload = { signature: { mode: 'type', data: 'Bo' }, consent: true }
  const answer = await home.api.app.inject({ method: 'POST', url: `/v1/esigndoc/sign/${token}/complete`, payload })
  expect(answer.statusCode).toBe(200)
}

/** Files of the store that have this text. */
async function findFiles(text: string): Promise<string[]> {
  const root = join(home.api.context.config.dataDir, 'objects')
  const names = (await readdir(root, { recursive: true, withFileTypes: true })).filter(one => one.isFile())
  const read = names.map(async one => ({ name: one.name, bytes: await readFile(join(one.parentPath, one.name)) }))
  return (await Promise.all(read)).filter(({ bytes }) => bytes.includes(text)).map(({ name }) => name)
}

function countKept(kind: string): Promise<bigint> {
  return value(home.api.context.db, 'select count(*) from svc.object where kind = $1', [kind])
}

test('all that an account has of envelopes is exported, and after its erasure nothing of it is left anywhere', async () => {
  const { db, store } = home.api.context
  const owner = await openSender(home, 9_000_000n)
  const states = new Set(await useAll(owner))
  const all = ['draft', 'sent', 'in_progress', 'sealing', 'completed', 'rejected', 'expired', 'cancelled']
  expect([...states].sort()).toEqual(all.sort())
  const exported = (await exportAccount(db, owner.accountId)) as { esigndoc: Record<string, unknown[]> }
  const { envelopes, templates, batches } = exported.esigndoc
  expect([envelopes!.length, templates!.length, batches!.length]).toEqual([9, 1, 1])
  const text = JSON.stringify(exported.esigndoc)
  for (const word of [WORDS.title, WORDS.person, WORDS.note, 'proof.txt', '"mode": "upload"', '"kind":"signed"'])
    expect(text.replaceAll('": "', '":"'), word).toContain(word.replaceAll('": "', '":"'))
  expect(/linkNonce|[tT]okenHash|access_?code_?hash/i.test(text)).toBe(false)
  expect((await findTables(db, WORDS.person)).length).toBeGreaterThan(3)
  expect((await findFiles(WORDS.proof)).length).toBeGreaterThan(0)
  expect(await countKept('output')).toBe(1n)

  await eraseAccount(db, store, owner.accountId)
  // Steps that were queued for it find nothing, and leave nothing.
  await home.work()
  for (const word of Object.values(WORDS)) {
    expect([word, await findTables(db, word)]).toEqual([word, []])
    expect([word, await findFiles(word)]).toEqual([word, []])
    const queued = await value(db, 'select count(*) from lane_step._private_jobs j where strpos(j::text, $1) > 0', [
      word,
    ])
    expect([word, queued]).toEqual([word, 0n])
  }
  expect((await findTables(db, owner.accountId)).filter(table => !BOOKS.includes(table))).toEqual([])
  expect([await countKept('signing'), await countKept('output'), await countKept('baton')]).toEqual([0n, 0n, 0n])
})

test.each(MOMENTS)('an image of a page is not kept when the erasure comes between, %s', async moment => {
  const { db, store } = home.api.context
  const owner = await openSender(home)
  const { id } = await make(owner)
  const asked = await findPage(db, id.slice('env_'.length), { file: 0, page: 1, width: 1200 })
  expect(asked).toMatchObject({ key: null })
  const { store: interrupted, reached } = interruptStore(store, moment, () => eraseAccount(db, store, owner.accountId))
  await runDueSteps({ ...home.api.context, store: interrupted, pools: home.pools })
  await home.work()
  expect(reached.length).toBeGreaterThan(0)
  expect((await findTables(db, owner.accountId)).filter(table => !BOOKS.includes(table))).toEqual([])
  for (const key of reached) expect(await store.stat(key)).toBeUndefined()
})

/** An envelope that is signed and waits to be sealed. */
async function sign(owner: Owner): Promise<string> {
  const { id, ...made } = await owner.send({
    ...{ file: await LETTER(), title: 'Lease', fields: [{ ...SIGNATURE, recipient: 0 }], recipients: [{ name: 'Bo' }] },
  })
  const url = `/v1/esigndoc/sign/${tokenOf({ id, ...made }, 'Bo')}/complete`
  const payload = { signature: { mode: 'type', data: 'Bo' }, consent: true }
  expect((await home.api.app.inject({ method: 'POST', url, payload })).statusCode).toBe(200)
  return id
}

/** Seals while something else happens, once. Returns the keys that the store was asked for. */
async function sealWhile(moment: Moment, between: () => Promise<unknown>): Promise<string[]> {
  const { store, reached } = interruptStore(home.api.context.store, moment, between)
  const steps = findSteps().filter(step => step.name === 'esigndoc.seal')
  await runDueSteps({ ...home.api.context, store, pools: home.pools }, steps)
  expect(reached.length).toBeGreaterThan(0)
  // A step that has failed is tried again, then without anything that comes between.
  await rows(home.api.context.db, 'update lane_step._private_jobs set run_at = now() where attempts > 0')
  await home.work()
  return reached
}

test.each(MOMENTS)('nothing sealed is kept of an account that is erased meanwhile, %s', async moment => {
  const { db, store } = home.api.context
  const owner = await openSender(home)
  await sign(owner)
  const reached = await sealWhile(moment, () => eraseAccount(db, store, owner.accountId))
  await home.work()
  expect((await findTables(db, owner.accountId)).filter(table => !BOOKS.includes(table))).toEqual([])
  for (const key of reached) expect(await store.stat(key)).toBeUndefined()
  expect((await Array.fromAsync(store.list(`scratch/${owner.accountId}/`))).length).toBe(0)
})

test.each(MOMENTS)('what is sealed goes to the account that the wallet joins, %s', async moment => {
  const { db, store } = home.api.context
  const [owner, other] = [await openSender(home), await openSender(home)]
  const id = await sign(owner)
  await rows(db, 'delete from svc.wallet where address = $1', [ADDRESS])
  await rows(db, 'insert into svc.wallet (address, account_id) values ($1, $2)', [ADDRESS, owner.accountId])
  await sealWhile(moment, async () => {
    await rows(db, 'update svc.api_key set revoked_at = now() where account_id = $1', [owner.accountId])
    await value(db, 'select wallet.link($1, $2)', [ADDRESS, other.accountId])
  })
  await home.work()
  expect(await openWallet(db, ADDRESS, '00000000-0000-7000-8000-000000000001', true)).toBe(other.accountId)
  expect((await other.read(id)).status).toBe('completed')
  const text = `select o.account_id as account, o.kind, o.expires_at > now() + interval '1 year' as "isKept"
    from svc.envelope_output e join svc.object o on o.key = e.object_key where e.envelope_id = $1`
  const uuid = id.slice('env_'.length)
  expect(await rows(db, text, [uuid])).toEqual([{ account: other.accountId, kind: 'output', isKept: true }])
  expect(await eraseAccount(db, store, other.accountId)).toBeGreaterThan(0)
  expect(await rows(db, 'select key from svc.object where account_id = $1', [owner.accountId])).toEqual([])
})

test('envelopes that came to nothing are forgotten after the days of the setting, with the copy of their log', async () => {
  const { db } = home.api.context
  const owner = await openSender(home)
  const [cancelled, kept] = [await make(owner), await make(owner)]
  await owner.call('DELETE', `/v1/esigndoc/envelopes/${cancelled.id}`)
  await home.work()
  const { batonId } = (await owner.read(cancelled.id)) as unknown as { batonId: string }
  await value(
    db,
    "update svc.envelope set state_at = now() - interval '89 days' where state = 'cancelled' returning true",
  )
  expect(await forgetEnvelopes(db, 90)).toBe(0)
  expect(await forgetEnvelopes(db, 88)).toBe(1)
  await value(db, 'select baton.purge(10)')
  expect((await owner.call('GET', `/v1/esigndoc/envelopes/${cancelled.id}`)).status).toBe(404)
  expect((await owner.call('GET', `/v1/baton/${batonId}`)).status).toBeGreaterThanOrEqual(404)
  const left = await value(db, 'select count(*) from svc.baton_entry where baton_id = $1', [batonId])
  expect(left).toBe(0n)
  expect((await owner.read(kept.id)).status).toBe('sent')
})
