import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import type { NamedRoute } from '../../api/catalog.ts'
import { rows } from '../../sql/db.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { products } from '../../tasks/products/index.ts'
import { openBatonOwner } from '../support/stack/baton-owner.ts'
import { type InProcessApi, openInProcessApi } from '../support/stack/in-process-api.ts'

let api: InProcessApi
let owner: Awaited<ReturnType<typeof openBatonOwner>>
let other: Awaited<ReturnType<typeof openBatonOwner>>
let ids: Record<string, Record<string, string>>
beforeAll(async () => {
  api = await openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
  owner = await openBatonOwner(api)
  other = await openBatonOwner(api)
  ids = { ...(await createThings()), ...(await createThingsOfProducts()) }
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

/** One of everything that has an id, by the family of its routes and the name of the parameter. */
async function createThings(): Promise<typeof ids> {
  const { app } = api
  const baton = await owner.create({ preset: 'ledger', tier: 'femto', content: 'private', tokens: [{ type: 'read' }] })
  const job = await owner.call('POST', '/v1/text/slugify', { text: 'private' })
  const hook = { url: 'http://127.0.0.1:9/', events: ['job.completed'] }
  const webhook = (await owner.call('POST', '/v1/webhooks', hook)).json()
  const delivery = (await owner.call('POST', `/v1/webhooks/${webhook.id}/test`)).json()
  const mailbox = (await owner.call('POST', '/api/mailbox')).json()
  const dropUrl = new URL(mailbox.drop_url).pathname
  const headers = { 'content-type': 'text/plain' }
  const message = (await app.inject({ method: 'POST', url: dropUrl, headers, payload: 'private' })).json()
  await owner.call('POST', '/api/checkpoint', { step: 'private' }, { 'x-workflow-id': 'plan' })
  const stored = (await owner.call('POST', '/api/storage', { file: 'private' })).json()
  const handoff = (await owner.call('POST', `/api/handoff/${stored.lease_id}`, {})).json()
  const output = `scratch/${owner.accountId}/${newId()}`
  await api.context.store.put(output, Buffer.from('private'), { contentType: 'text/plain' })
  await rows(
    api.context.db,
    `insert into svc.object (key, account_id, kind, size_bytes, content_type, expires_at)
     values ($1, $2, 'output', 7, 'text/plain', now() + interval '1 hour')`,
    [output, owner.accountId],
  )
  const steps = [{ op: 'data/slice', params: { limit: 1 } }]
  await owner.call('PUT', '/v1/pipelines/monthly', { description: 'private', steps })
  const keys = { prefix: 'svc_test_00000000', id: handoff.handoff_id, kind: 'handoff', product: 'screening' }
  return {
    baton: { id: baton.id, baton: baton.id, vid: 'private', tokenId: baton.tokens[0].id },
    jobs: { id: String(job.headers['x-service-job-id']) },
    webhooks: { id: webhook.id, deliveryId: delivery.id },
    leases: { lease_id: mailbox.lease_id, message_id: message.message_id, workflow_id: 'plan', id: handoff.handoff_id },
    outputs: { '*': output },
    pipeline: { name: 'monthly' },
    account: keys,
  }
}

const productsFolder = fileURLToPath(new URL('../products/', import.meta.url))

/** A product whose routes take ids says in test/products/<name>/foreign-ids.ts how to make some, by the name of its family. */
async function createThingsOfProducts(): Promise<typeof ids> {
  const files = readdirSync(productsFolder).map(name => [name, `${productsFolder}${name}/foreign-ids.ts`] as const)
  const found: typeof ids = {}
  for (const [name, file] of files.filter(([, path]) => existsSync(path))) {
    const module: { default: (user: typeof owner, of: InProcessApi) => Promise<Record<string, string>> } = await import(
      file
    )
    const { family } = products.find(product => product.name === name)!
    found[family] = { ...found[family], ...(await module.default(owner, api)) }
  }
  return found
}

/**
 * Addresses that are open to all: a drop token, a reply link or a handoff is what its owner gives away, the proof of a witness is for anyone, and pages
 * and documents have no owner. Saving under the name of another account's pipeline makes one of one's own, and so do names of locks
 * and periods of alarms.
 */
const OPEN = new Set([
  ...['leases.drop-message', 'leases.claim-handoff', 'bridge.reply', 'baton.proof', 'system', 'pipeline.save'],
  ...['bridge.acquire-lock', 'bridge.open-barrier', 'bridge.add-to-counter'],
  ...['account.set-spend-alarm', 'account.remove-spend-alarm'],
])

function takesForeignId({ at, name, family, auth }: NamedRoute): boolean {
  const isPublic = auth.length === 1 && auth[0] === 'none'
  return /\{|\*/.test(at) && !isPublic && !OPEN.has(name) && !OPEN.has(family)
}

async function call(route: NamedRoute, parameters: Record<string, string>, by: typeof other | undefined) {
  const [method, template] = route.at.split(' ') as ['GET' | 'POST' | 'DELETE', string]
  const url = template.replace(/\{(\w+)\}|\*/g, (part, name = part) => {
    if (parameters[name] === undefined) throw new Error(`${route.name}: add an id for ${name} to this test`)
    return parameters[name]
  })
  const { properties = {} } = (route.query ?? {}) as { properties?: object }
  const secret = Object.hasOwn(properties, 'token') ? '?token=guessed' : ''
  const payload = route.body ? ((route.examples?.[0]?.input ?? {}) as object) : undefined
  const answer = by
    ? await by.call(method, `${url}${secret}`, payload)
    : await api.app.inject({ method, url: `${url}${secret}`, ...(payload && { payload }) })
  return {
    status: answer.statusCode,
    code: answer.statusCode < 400 ? undefined : answer.json().code,
    text: answer.body,
  }
}

test('by no route does another account or an anonymous caller reach what belongs to an account', async () => {
  const routes = api.context.catalog.routes.filter(takesForeignId)
  expect(routes.length).toBeGreaterThan(35)
  const faults = []
  const reached = new Set<string>()
  for (const route of routes) {
    const { status, found } = await judge(route)
    faults.push(...found)
    if (status === 404) reached.add(route.family)
  }
  expect(faults).toEqual([])
  expect([...reached].sort()).toEqual(Object.keys(ids).sort())
}, 300_000)

/** What is wrong with the answers to callers who use the ids of another account. */
async function judge(route: NamedRoute): Promise<{ status: number; found: string[] }> {
  const own = ids[route.family] ?? {}
  const unknown = Object.fromEntries(Object.entries(own).map(([name, id]) => [name, randomize(id)]))
  const [foreign, missing, anonymous] = [
    await call(route, own, other),
    await call(route, unknown, other),
    await call(route, own, undefined),
  ]
  // To others a thing of an account is as if it did not exist; only leases say that they have another owner.
  const isRevealed = route.family !== 'leases' && foreign.code !== missing.code
  const found = [
    ...([401, 403, 404].includes(foreign.status) ? [] : [`${route.name} answers another account ${foreign.status}`]),
    ...([401, 402, 403, 404].includes(anonymous.status) ? [] : [`${route.name} answers anyone ${anonymous.status}`]),
    ...(isRevealed ? [`${route.name} tells ${foreign.code} from ${missing.code}`] : []),
    ...([foreign, anonymous].some(({ text }) => text.includes('private')) ? [`${route.name} reveals content`] : []),
  ]
  return { status: foreign.status, found }
}

/** Another id of the same form. */
function randomize(id: string): string {
  return id.replaceAll(/[0-9a-f](?=[0-9a-f]{0,11}$)/g, digit => ((parseInt(digit, 16) + 7) % 16).toString(16))
}

test('nothing was changed by those calls, and their owner still reaches all of it', async () => {
  const { baton, jobs, webhooks, leases } = ids as Record<string, Record<string, string>>
  const paths = [
    ...[`/v1/baton/${baton!.id}`, `/v1/baton/${baton!.tokenId}/entries`, `/v1/jobs/${jobs!.id}`],
    ...[`/v1/webhooks/${webhooks!.id}/deliveries/${webhooks!.deliveryId}`, '/api/checkpoint/plan'],
    `/api/mailbox/${leases!.lease_id}/messages/${leases!.message_id}`,
    '/v1/pipelines/monthly',
  ]
  for (const path of paths) expect([path, (await owner.call('GET', path)).statusCode]).toEqual([path, 200])
  const meta = (await owner.call('GET', `/v1/baton/${baton!.id}/meta`)).json()
  expect(meta).toMatchObject({ entries: 1, acl: {}, name: null })
})

test('the key of an account that is suspended reaches nothing any more', async () => {
  const { db } = api.context
  const gone = await openBatonOwner(api)
  const { id } = await gone.create({ preset: 'drop', tier: 'femto', content: 'x' })
  expect((await gone.call('GET', `/v1/baton/${id}`)).statusCode).toBe(200)
  await rows(db, 'update svc.account set suspended_at = now() where id = $1', [gone.accountId])
  api.context.keys.forget()
  expect((await gone.call('GET', `/v1/baton/${id}`)).json().code).toBe('ACCOUNT_SUSPENDED')
})
