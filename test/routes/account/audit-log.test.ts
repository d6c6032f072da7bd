import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
let path: string
beforeAll(async () => {
  api = await openInProcessApi()
  owner = await openBatonOwner(api)
  const stored = (await owner.call('POST', '/api/storage', { file: 'private' })).json()
  const handoff = (await owner.call('POST', `/api/handoff/${stored.lease_id}`, { max_claims: 2 })).json()
  await api.app.inject({ method: 'POST', url: new URL(handoff.claim_url).pathname })
  await owner.call('DELETE', `/api/handoff/${handoff.handoff_id}`)
  path = `/v1/audit/handoff/${handoff.handoff_id}`
})
afterAll(() => api[Symbol.asyncDispose]())

interface Entry {
  seq: number
  action: string
  actor: string
  detail: object
  previous: string | null
  hash: string
  text: string
}

/** What the description of the route says, done by somebody who has the log alone: the number of the first faulty entry. */
function findFault(entries: readonly Entry[]): number | undefined {
  let last: string | null = null
  for (const [place, { text, hash, ...shown }] of entries.entries()) {
    const [, , seq, , actor, action, detail, , previous] = JSON.parse(text)
    const isAsShown =
      JSON.stringify([seq, actor, action, previous]) ===
      JSON.stringify([shown.seq, shown.actor, shown.action, shown.previous])
    const isDetail = JSON.stringify(detail) === JSON.stringify(shown.detail)
    const isHash = createHash('sha256').update(text, 'utf8').digest('hex') === hash
    if (!isAsShown || !isDetail || !isHash || previous !== last || seq !== place + 1) return place + 1
    last = hash
  }
  return undefined
}

const exportLog = async () =>
  (await owner.call('GET', `${path}/export`)).body
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Entry)

test('an owner reads the log of a hand-off in pages, and exports it whole', async () => {
  const { data, pagination } = (await owner.call('GET', path)).json()
  expect(data.length).toBeGreaterThanOrEqual(3)
  expect(data[0]).toMatchObject({ seq: 1, actor: 'owner', action: 'issued', detail: { max_claims: 2 }, previous: null })
  expect(data.at(-1)).toMatchObject({ actor: 'owner', action: 'revoked' })
  expect(pagination).toEqual({ limit: 100, after: 0, hasMore: false })
  const [first, second] = [
    (await owner.call('GET', `${path}?limit=1`)).json(),
    (await owner.call('GET', `${path}?limit=1&after=1`)).json(),
  ]
  expect([first.pagination.hasMore, first.data, second.data]).toEqual([true, [data[0]], [data[1]]])
  expect((await owner.call('GET', `${path}?after=${data.length}`)).json().data).toEqual([])
  const exported = await owner.call('GET', `${path}/export`)
  expect(exported.headers['content-type']).toContain('application/x-ndjson')
  expect(exported.headers['content-disposition']).toMatch(
    /^attachment; filename="audit-handoff-[0-9a-f-]{36}\.ndjson"$/,
  )
  expect(await exportLog()).toEqual(data)
})

test('who has the log can check it: any change of it is found', async () => {
  const whole = await exportLog()
  expect(findFault(whole)).toBe(undefined)
  const changed = structuredClone(whole)
  changed[1]!.actor = 'nobody'
  expect(findFault(changed)).toBe(2)
  const rewritten = structuredClone(whole)
  const text = rewritten[0]!.text.replace('issued', 'sealed')
  rewritten[0] = { ...rewritten[0]!, action: 'sealed', text, hash: createHash('sha256').update(text).digest('hex') }
  expect(findFault(rewritten)).toBe(2)
  expect(findFault(whole.toSpliced(1, 1))).toBe(2)
})

test('a change by force in the database shows in what the owner reads', async () => {
  const force = "update svc.audit_entry set detail = '{}' where subject_kind = 'handoff' and seq = 1"
  await rows(
    api.context.db,
    `alter table svc.audit_entry disable trigger user; ${force}; alter table svc.audit_entry enable trigger user`,
  )
  expect(findFault(await exportLog())).toBe(1)
})

test('to another account, and of what has none, there is no log', async () => {
  const other = await openBatonOwner(api)
  for (const asked of [path, `${path}/export`, path.replace('handoff', 'baton'), '/v1/audit/handoff/none'])
    expect([asked, (await other.call('GET', asked)).statusCode]).toEqual([asked, 404])
  expect((await owner.call('GET', '/v1/audit/handoff/none/export')).json().code).toBe('NOT_FOUND')
  expect((await owner.call('GET', '/v1/audit/hand%20off/none')).json().code).toBe('INVALID_PARAM')
})
