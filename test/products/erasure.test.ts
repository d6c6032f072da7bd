import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compactVerify, createLocalJWKSet } from 'jose'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import { suspendAccount } from '../../sql/account.ts'
import { rows, value } from '../../sql/db.ts'
import { eraseAccount, exportAccount, readErasure } from '../../sql/product/account-data.ts'
import { findTables } from '../support/database/find-text.ts'
import { allowReviewsOf } from '../support/people/reviews.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import { runCli } from '../support/stack/run-cli.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

/** What the law makes us keep: an account with its balance, what moved it, who else has a record of that, and the proof of its erasure. */
const BOOKS = new Set(['account', 'transfer', 'entry', 'checkout', 'chunk', 'erasure'])
/** The keys of documents name the account under which they were stored. */
const HAS_KEYS = new Set(['envelope_file', 'envelope_page', 'envelope_preparation', 'object'])
const MAIL = 'ida.example@mail.test'

/** Those of the keys that the object store has. */
async function findFiles({ dataDir }: Stack, keys: string[]): Promise<string[]> {
  const names = await readdir(join(dataDir, 'objects'), { recursive: true })
  return keys.filter(key => names.some(name => name.includes(key.split('/').at(-1)!)))
}

/** Uses what there is, so that the account has rows in as many tables as possible. */
async function useEverything(stack: Stack, customer: Customer): Promise<string[]> {
  const { db } = stack
  const { accountId } = customer
  const post = async (path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await customer.post(path, body, headers)
    expect([path, answer.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)])
    return answer.body
  }
  await post('/v1/utils/hash', { text: MAIL }, { 'idempotency-key': 'once' })
  const register =
    "select webhook.register(gen_random_uuid(), $1, null, 'http://127.0.0.1:9/', '{job.completed}', null, 's', 9)"
  await value(db, register, [accountId])
  await post('/v1/text/slugify', { text: 'After the webhook' })
  const mailbox = await post('/api/mailbox')
  await fetch(mailbox.drop_url, { method: 'POST', body: MAIL, headers: { 'content-type': 'text/plain' } })
  await post('/api/checkpoint', { mail: MAIL }, { 'x-workflow-id': 'w' })
  const stored = await customer.request('/api/storage', { method: 'POST', body: randomBytes(300) })
  expect(stored.status).toBe(201)
  await post(`/api/handoff/${stored.body.lease_id}`, { note: MAIL })
  const baton = await post('/v1/baton', { preset: 'pass', tier: 'femto', content: MAIL, name: MAIL })
  const ask = await post('/v1/bridge/asks', { question: MAIL, metadata: { mail: MAIL } })
  const channel = await post('/v1/bridge/channels', { name: MAIL })
  const parties = [
    { key: 'one', method: 'account', email: MAIL },
    { key: 'other', method: 'wallet', address: '0x1da0000000000000000000000000000000000001' },
  ]
  const contract = await post('/v1/contracts', { title: MAIL, terms: MAIL, parties })
  const envelope = await post('/v1/esigndoc/envelopes', {
    file: { inline: (await readFile('tasks/samples/letter.pdf')).toString('base64') },
    ...{ title: MAIL, message: MAIL, recipients: [{ name: MAIL, email: MAIL }], autoPlaceSignature: true },
  })
  await allowReviewsOf(stack)
  await post('/v1/idverify/verifications', { type: 'document', referenceId: MAIL, subject: { lastName: MAIL } })
  const screened = await post('/v1/screening/match', { name: 'Zorblatt Quexington', address: MAIL, allowSample: true })
  const dismissal = { entityId: 'sample:s-1', reason: MAIL }
  await post(`/v1/screening/matches/${screened.screeningId}/dismissals`, dismissal)
  const watched = { name: 'Zorblatt Quexington', address: MAIL, referenceId: MAIL, allowSample: true }
  const monitor = await post('/v1/screening/monitors', watched)
  await rows(db, "insert into svc.identity (provider, subject, account_id, email) values ('google', 's', $1, $2)", [
    accountId,
    MAIL,
  ])
  await rows(
    db,
    "insert into svc.wallet (address, account_id) values ('0x1da0000000000000000000000000000000000001', $1)",
    [accountId],
  )
  await rows(db, "insert into svc.pipeline (account_id, name, version, definition) values ($1, 'p', 1, '{}')", [
    accountId,
  ])
  await rows(db, 'update svc.account set name = $2 where id = $1', [accountId, MAIL])
  const facts = { id: newId(), host: 'a.example', reason: MAIL }
  await value(db, "select notification.tell_owner($1, 'webhook.disabled', 'once', $2)", [accountId, facts])
  const uuid = ask.id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return [
    ...[`/v1/baton/${baton.id}/meta`, `/v1/bridge/asks/${ask.id}`, `/v1/bridge/channels/${channel.id}`],
    ...[`/v1/contracts/${contract.id}`, `/v1/audit/ask/${uuid}`, `/api/storage/${stored.body.lease_id}`],
    `/v1/esigndoc/envelopes/${envelope.id}`,
    ...[`/v1/screening/matches/${screened.screeningId}`, `/v1/screening/monitors/${monitor.id}`],
  ]
}

test('an account is exported whole, and after its erasure nothing mentions it but the books', async () => {
  await using stack = await openDefaultStack()
  const { db } = stack
  const customer = await stack.customer()
  const { accountId } = customer
  await useEverything(stack, customer)
  const converted = await customer.post('/v1/csv/convert', { file: { text: 'a,b\n1,2\n' }, to: 'tsv' })
  expect(converted.body.output.outputKey).toBeDefined()
  const before = await findTables(db, accountId)
  expect(before).toEqual(
    expect.arrayContaining([
      ...['audit_entry', 'baton', 'handoff', 'job', 'lease', 'notification', 'object', 'webhook_endpoint'],
      ...['screening', 'screening_dismissal', 'screening_monitor'],
    ]),
  )

  const env = { DATABASE_URL: stack.databaseUrl, DATA_DIR: stack.dataDir, SECRET: 'a secret of the tests alone' }
  const exported = JSON.parse((await runCli(env, 'account', 'export', accountId)).stdout) as Record<string, unknown[]>
  for (const part of [
    'keys',
    'identities',
    'jobs',
    'transfers',
    'mailbox',
    'checkpoint',
    'storage',
    'handoff',
    'baton',
    'webhook',
    'notification',
    'pipeline',
    'ask',
    'channel',
    'contract',
    'idverify',
    'screening',
    'audit',
  ])
    expect([part, exported[part]?.length]).toEqual([part, expect.toSatisfy((count: number) => count > 0)])
  const [{ messages }] = exported.mailbox as [{ messages: { body: string }[] }]
  expect(Buffer.from(messages[0]!.body, 'base64').toString()).toBe(MAIL)
  expect(/"(secret|key_hash|token_hash|pin_hash|drop_token_hash)"/.test(JSON.stringify(exported))).toBe(false)
  const keys = (exported.objects as { key: string }[]).map(({ key }) => key)
  expect(await findFiles(stack, keys)).toEqual(keys)

  expect((await runCli(env, 'account', 'erase', accountId)).stderr).toContain('Add --yes')
  expect(await findTables(db, accountId)).toEqual(before)
  const erased = await runCli(env, 'account', 'erase', accountId, '--yes')
  expect(erased).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^erased, with \d+ files$/) })
  expect((await findTables(db, accountId)).filter(table => !BOOKS.has(table))).toEqual([])
  for (const text of [MAIL, '0x1da0000000000000000000000000000000000001'])
    expect(await findTables(db, text)).toEqual([])
  expect(await findFiles(stack, keys)).toEqual([])
  const { stdout } = await runCli(env, 'erasure', 'certificate', accountId)
  const { statement, jws } = JSON.parse(stdout) as { statement: Record<string, unknown>; jws: string }
  const keySet = await (await fetch(`${stack.url}/.well-known/jwks.json`)).json()
  const verified = await compactVerify(jws, createLocalJWKSet(keySet))
  expect(JSON.parse(new TextDecoder().decode(verified.payload))).toEqual(statement)
  expect(statement).toMatchObject({
    ...{ typ: 'svc.erasure/1', account_id: accountId, removed_files: keys.length },
    removed_records: {
      api_key: 1,
      ask: 1,
      baton: 3,
      baton_entry: 5,
      envelope: 1,
      job: expect.any(Number),
      mailbox_message: 1,
    },
    kept_records: { transfer: (exported.transfers as unknown[]).length },
  })
  expect(JSON.parse((await runCli(env, 'erasure', 'certificate', accountId)).stdout)).toEqual({ statement, jws })
  expect((await customer.get('/v1/account')).status).toBe(401)
  for (const words of [
    ['account', 'resume', accountId],
    ['account', 'credit', accountId, '1'],
    ['key', 'create', accountId],
  ])
    expect([words, await runCli(env, ...words)]).toMatchObject([
      words,
      { stderr: expect.stringContaining('was erased') },
    ])
  await expect(suspendAccount(db, accountId, false)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(Object.keys(await exportAccount(db, accountId))).toContain('transfers')
})

test('what the account of a wallet has goes along when the wallet joins another account', async () => {
  await using stack = await openDefaultStack()
  const { db } = stack
  const [customer, other] = [await stack.customer(), await stack.customer()]
  const { accountId } = customer
  const owned = await useEverything(stack, customer)
  const address = '0x1da0000000000000000000000000000000000001'
  const refused = value(db, 'select wallet.link($1, $2)', [address, other.accountId])
  await expect(refused).rejects.toMatchObject({ code: 'WALLET_TAKEN' })
  await rows(db, 'delete from svc.identity where account_id = $1', [accountId])
  await rows(db, 'update svc.api_key set revoked_at = now() where account_id = $1', [accountId])
  await value(db, 'select wallet.link($1, $2)', [address, other.accountId])
  const left = (await findTables(db, accountId)).filter(table => !BOOKS.has(table) && !HAS_KEYS.has(table))
  // The entries of logs name whom they were written for.
  expect(left).toEqual(['audit_entry', 'baton_entry'])
  for (const path of owned) expect([path, (await other.get(path)).status]).toEqual([path, 200])
})

test('live files are erased, uploaded, made and delivered, also after an erasure that broke off', async () => {
  await using stack = await openDefaultStack()
  const { db } = stack
  const customer = await stack.customer()
  const { accountId } = customer
  const given = (await customer.post('/v1/cputools/upload-url', { ext: 'csv' })).body
  const form = new FormData()
  for (const [name, text] of Object.entries<string>(given.fields)) form.append(name, text)
  form.append('file', new Blob(['a,b\n1,2\n']), 'a.csv')
  expect((await fetch(given.url, { method: 'POST', body: form })).status).toBe(204)
  const convert = { file: { inputKey: given.inputKey }, to: 'tsv' }
  expect((await customer.post('/v1/csv/convert', convert)).status).toBe(200)
  const large = { file: { text: `a,b\n${'1,2\n'.repeat(20_000)}` }, to: 'tsv' }
  const deliver = { new: { preset: 'drop', tier: 'nano' } }
  expect((await customer.post('/v1/csv/convert', { ...large, deliver })).status).toBe(200)

  const text = 'select key, kind from svc.object where account_id = $1 and expires_at > now() order by kind'
  const live = await rows<{ key: string; kind: string }>(db, text, [accountId])
  expect(live.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['baton', 'output', 'upload']))
  const keys = live.map(({ key }) => key)
  const broken = { remove: async () => Promise.reject(new Error('the store is down')) }
  await expect(eraseAccount(db, broken, accountId)).rejects.toThrow('the store is down')
  const env = { DATABASE_URL: stack.databaseUrl, DATA_DIR: stack.dataDir, SECRET: 'a secret of the tests alone' }
  expect(await readErasure(db, accountId)).toBeUndefined()
  expect(await runCli(env, 'account', 'erase', accountId, '--yes')).toMatchObject({ exitCode: 0 })
  expect((await findTables(db, accountId)).filter(table => !BOOKS.has(table))).toEqual([])
  expect(await findFiles(stack, keys)).toEqual([])
  expect(await readErasure(db, accountId)).toMatchObject({ files: keys.length, removed: { object: keys.length } })
})

test('an account with an open job or held money is not erased', async () => {
  await using stack = await openDefaultStack()
  const { db } = stack
  const { accountId } = await stack.customer()
  const store = { remove: async () => undefined }
  const job = '00000000-0000-7000-8000-0000000000aa'
  const open = `insert into svc.job (id, account_id, service_key, lane, status, deadline_at)
    values ($1, $2, 'x.y', 'instant', 'submitted', now() + interval '1 hour')`
  await rows(db, open, [job, accountId])
  await expect(eraseAccount(db, store, accountId)).rejects.toMatchObject({
    code: 'ACCOUNT_IN_USE',
    hints: { openJobs: 1 },
  })
  await rows(db, 'delete from svc.job where id = $1', [job])
  expect(await eraseAccount(db, store, accountId)).toBe(0)
})

test('the operator sees what is kept for how long', async () => {
  await using stack = await openDefaultStack()
  const env = { DATABASE_URL: stack.databaseUrl, DATA_DIR: stack.dataDir, SECRET: 'a secret of the tests alone' }
  const { stdout } = await runCli(env, 'retention')
  expect(stdout).toMatch(/lease +records of leases +.*lease\.tombstone_days +step lease\.forget +\d+/)
  expect(stdout).toMatch(/platform +uploads and outputs +cputools\.scratch_hours +chore purge-objects +\d+/)
})
