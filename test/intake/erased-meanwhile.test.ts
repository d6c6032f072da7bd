import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { value } from '../../sql/db.ts'
import { eraseAccount } from '../../sql/product/account-data.ts'
import { findTables } from '../support/database/find-text.ts'
import { interruptStore, type Moment } from '../support/machine/interrupted-store.ts'
import { openBatonOwner } from '../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../support/stack/in-process-api.ts'
import { runDueSteps } from '../support/stack/run-steps.ts'
import { sendForm } from '../support/stack/upload-form.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi()
})
afterAll(() => api[Symbol.asyncDispose]())

/** What the law makes us keep. */
const BOOKS = ['account', 'entry', 'transfer', 'chunk', 'checkout', 'erasure']
const MOMENTS: Moment[] = ['before put', 'after put']
const LONG = 'x'.repeat(20_000)

type Owner = Awaited<ReturnType<typeof openBatonOwner>>
type Send = (owner: Owner) => Promise<{ statusCode: number }>

async function openBaton(owner: Owner, more: object): Promise<{ id: string; upload: Parameters<typeof sendForm>[1] }> {
  const made = await owner.call('POST', '/v1/baton', { preset: 'drop', tier: 'nano', ...more })
  expect(made.statusCode, made.body).toBe(201)
  return made.json()
}

/** Calls that store a file, each with what comes before it. */
const CALLS: Record<string, (owner: Owner) => Promise<Send>> = {
  'an output': async () => owner => owner.call('POST', '/v1/csv/convert', { file: { text: 'a,b\n1,2\n' }, to: 'tsv' }),
  'an entry': async owner => {
    const { id } = await openBaton(owner, {})
    return () => owner.call('POST', `/v1/baton/${id}`, { content: LONG })
  },
  'a storage lease':
    async () =>
    ({ headers }) =>
      api.app.inject({
        ...{ method: 'POST', url: '/api/storage', payload: LONG },
        headers: { ...headers, 'content-type': 'text/plain' },
      }),
  'a document': async () => async owner => {
    const file = { inline: (await readFile('tasks/samples/letter.pdf')).toString('base64') }
    const fields = [{ type: 'signature', page: 1, x: 10, y: 80, recipient: 0 }]
    return owner.call('POST', '/v1/esigndoc/envelopes', { file, title: 'A', fields, recipients: [{ name: 'Bo' }] })
  },
  'a file for a baton': async owner => {
    const { upload } = await openBaton(owner, { requestPresignedUpload: true })
    return () => sendForm(api, upload, Buffer.from(LONG))
  },
}

const CASES = Object.keys(CALLS).flatMap(name => MOMENTS.map(moment => [name, moment] as const))

test.each(CASES)('%s that is stored while its account is erased is not kept, %s', async (name, moment) => {
  const { db, store } = api.context
  const owner = await openBatonOwner(api)
  const send = await CALLS[name]!(owner)
  const { store: interrupted, reached } = interruptStore(store, moment, () => eraseAccount(db, store, owner.accountId))
  Object.assign(store, { put: interrupted.put })
  const { statusCode } = await send(owner).finally(() => Reflect.deleteProperty(store, 'put'))
  expect(reached.length).toBe(1)
  expect(statusCode).toBeGreaterThanOrEqual(400)
  expect(statusCode).toBeLessThan(500)
  expect((await findTables(db, owner.accountId)).filter(table => !BOOKS.includes(table))).toEqual([])
  expect(await store.stat(reached[0]!)).toBeUndefined()
})

test('what is uploaded into a bucket by a form after the erasure of its account is removed when no form works any more', async () => {
  const { db, store } = api.context
  const owner = await openBatonOwner(api)
  const { key } = (await openBaton(owner, { requestPresignedUpload: true })).upload.fields as { key: string }
  await eraseAccount(db, store, owner.accountId)
  await store.put(key, Buffer.from(LONG), { contentType: 'text/plain' })
  const text = "select run_at > now() + interval '1 hour' from lane_step._private_jobs where key = $1"
  expect(await value(db, text, [`baton.remove-upload:${key}`])).toBe(true)
  await runDueSteps(api.context)
  expect(await store.stat(key)).toBeUndefined()
  expect(await value(db, 'select count(*) from lane_step._private_jobs')).toBe(0n)
})
