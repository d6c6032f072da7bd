import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetChannels } from '../../../sql/channel/steps.ts'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { openCoordinatingAgent } from '../../support/coordination/agent.ts'
import type { InProcessApi } from '../../support/stack/in-process-api.ts'
import { openWakingApi } from '../../support/stack/waking-api.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openWakingApi()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const openAgent = () => openCoordinatingAgent(api)

test('agents of several accounts meet at names of a channel, which are no names of its owner', async () => {
  const [owner, member, outsider] = await Promise.all([openAgent(), openAgent(), openAgent()])
  const { channel, tokens } = await openChannel(owner)
  const [token, reader] = tokens as [string, string]
  const held = await member.lock('deploy', { ttlSeconds: 60, owner: 'member', channel: token })
  expect(held).toMatchObject({ status: 201, body: { name: 'deploy', isHeld: true } })
  expect((await owner.lock('deploy', { channel })).body).toMatchObject({ code: 'LOCK_HELD', owner: 'member' })
  expect((await owner.lock('deploy')).status).toBe(201)
  expect((await member.ask('GET', 'locks/deploy')).status).toBe(404)
  expect((await outsider.ask('GET', `locks/deploy?channel=${reader}`)).body).toMatchObject({ owner: 'member' })

  const waiting = owner.lock('deploy', { channel, waitSec: 30 })
  await expect.poll(() => isWanted(owner.accountId)).toBe(true)
  const renewed = await member.ask('PUT', 'locks/deploy', { token: held.body.token, channel: token })
  expect(renewed.body).toMatchObject({ isHeld: true, fence: held.body.fence })
  await member.ask('DELETE', `locks/deploy?token=${held.body.token}&channel=${token}`)
  expect((await waiting).body.fence).toBeGreaterThan(held.body.fence)

  expect((await owner.ask('POST', 'barriers/b', { parties: 2, channel })).status).toBe(201)
  const arrived = owner.ask('POST', 'barriers/b/arrive', { member: 'owner', waitSec: 30, channel })
  const state = () => member.ask('GET', `barriers/b?channel=${token}`)
  await expect.poll(async () => (await state()).body.arrived).toBe(1)
  await member.ask('POST', 'barriers/b/arrive', { member: 'member', channel: token })
  expect((await arrived).body).toMatchObject({ name: 'b', state: 'released', members: ['owner', 'member'] })

  const added = await Promise.all(
    [owner, member].map(agent => agent.ask('POST', 'counters/c', { channel: agent === owner ? channel : token })),
  )
  expect(added.map(({ body }) => body.value).sort()).toEqual([1, 2])
  expect((await owner.ask('GET', 'counters/c')).status).toBe(404)
  const names = async (agent: typeof owner, query: string) =>
    (await agent.ask('GET', `names${query}`)).body.data.map((view: { kind: string; name: string }) => [
      view.kind,
      view.name,
    ])
  const shared = [
    ['barrier', 'b'],
    ['counter', 'c'],
    ['lock', 'deploy'],
  ]
  expect(await names(member, `?channel=${reader}`)).toEqual(shared)
  expect(await names(owner, `?channel=${channel}&limit=2`)).toEqual(shared.slice(0, 2))
  expect(await names(owner, '')).toEqual([['lock', 'deploy']])
  expect(await names(member, '')).toEqual([])
  // The channel with its messages; then both locks, the barrier and an addition.
  expect(await owner.money()).toEqual([1_000_000n - 15_000n - 4_000n, 0n])
  expect(await member.money()).toEqual([998_000n, 0n])
})

test('a token does what its role allows at names of its channel, and nothing when the channel is over', async () => {
  const [owner, member] = await Promise.all([openAgent(), openAgent()])
  const { channel, tokens } = await openChannel(owner)
  const [token, reader] = tokens as [string, string]
  const changes = [
    ['POST', 'locks/l', { channel: reader }],
    ['PUT', 'locks/l', { token: 'lck_another', channel: reader }],
    ['DELETE', `locks/l?token=lck_another&channel=${reader}`, undefined],
    ['POST', 'barriers/b', { parties: 2, channel: reader }],
    ['POST', 'barriers/b/arrive', { member: 'm', channel: reader }],
    ['POST', 'counters/c', { channel: reader }],
    ['DELETE', `counters/c?channel=${reader}`, undefined],
  ] as const
  for (const [method, path, body] of changes)
    expect((await member.ask(method, path, body)).body, path).toMatchObject({ code: 'FORBIDDEN', role: 'read' })
  expect((await member.lock('l', { channel })).body.code).toBe('NOT_FOUND')
  expect((await member.lock('l', { channel: `brt_${'A'.repeat(43)}` })).body.code).toBe('NOT_FOUND')
  expect((await member.lock('l', { channel: 'no channel' })).body.code).toBe('NOT_FOUND')
  expect(await member.money()).toEqual([1_000_000n, 0n])
  expect((await member.ask('POST', 'counters/c', { channel: token })).body.value).toBe(1)

  const { db, settings, store } = api.context
  await writeSetting(db, 'coordination.max_names', 1)
  await settings.refresh()
  expect((await member.ask('POST', 'counters/d', { channel: token })).body.code).toBe('TOO_MANY_NAMES')
  expect((await owner.ask('POST', 'counters/d', {})).status).toBe(200)
  await writeSetting(db, 'coordination.max_names', null)
  await settings.refresh()
  expect((await exportAccount(db, owner.accountId)).coordination).toMatchObject([
    { kind: 'counter', name: 'd' },
    { kind: 'counter', name: 'c', channel },
  ])

  await owner.ask('DELETE', `channels/${channel}`)
  expect((await member.ask('POST', 'counters/c', { channel: token })).body.code).toBe('GONE')
  await rows(db, "update svc.channel set closed_at = now() - interval '2 days' where account_id = $1", [
    owner.accountId,
  ])
  await forgetChannels(db)
  expect(await rows(db, 'select name from svc.coordination_counter where account_id = $1', [owner.accountId])).toEqual([
    { name: 'd' },
  ])
  await eraseAccount(db, store, owner.accountId)
})

test('no hold, barrier or presence in a channel is promised for longer than the channel is there', async () => {
  const owner = await openAgent()
  const { body } = await owner.ask('POST', 'channels', { ttlSeconds: 60 })
  const [channel, end] = [body.id as string, Date.parse(body.expiresAt)]
  const endOf = ({ body: view }: { body: { expiresAt?: string } }) => Date.parse(view.expiresAt!)
  const held = await owner.lock('long', { channel, ttlSeconds: 3_600 })
  expect(endOf(held)).toBe(end)
  const renewed = await owner.ask('PUT', 'locks/long', { token: held.body.token, ttlSeconds: 3_600, channel })
  expect(endOf(renewed)).toBe(end)
  expect(endOf(await owner.ask('POST', 'barriers/long', { parties: 2, ttlSeconds: 3_600, channel }))).toBe(end)
  const here = await owner.ask('POST', `channels/${channel}/heartbeat`, { member: 'owner', ttlSeconds: 3_600 })
  expect(here.body.data.map((member: { expiresAt: string }) => Date.parse(member.expiresAt))).toEqual([end])
  expect(endOf(await owner.lock('long', { ttlSeconds: 3_600 }))).toBeGreaterThan(end)
})

async function openChannel(owner: Awaited<ReturnType<typeof openAgent>>) {
  const roles = [{ role: 'read_write' }, { role: 'read' }]
  const { body } = await owner.ask('POST', 'channels', { tokens: roles })
  return {
    channel: body.id as string,
    tokens: body.joinTokens.map(({ token }: { token: string }) => token) as string[],
  }
}

async function isWanted(accountId: string): Promise<boolean> {
  const wanted =
    'select from svc.coordination_lock where account_id = $1 and channel_id is not null and wanted_until > now()'
  return (await rows(api.context.db, wanted, [accountId])).length > 0
}
