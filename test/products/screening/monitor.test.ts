import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows, value } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { openLoadStore } from '../../../sql/screening/loads.ts'
import { queueRescreen } from '../../../sql/screening/monitors.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { createEntity } from '../../../tasks/products/screening/entity.ts'
import { activateLoad, storeEntities } from '../../../tasks/products/screening/index.ts'
import type { OutsideFiles } from '../../../tasks/products/step-deps.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'
import { UN_FILE } from './list-files.ts'
import { openOwner } from './owner.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi({ OUTBOUND: 'public' })
  await writeSetting(api.context.db, 'screening.lists', ['un_sc'])
  await writeSetting(api.context.db, 'screening.shrink_percent', 60)
  await api.context.settings.refresh()
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

/** The publisher makes a new file, which the next refresh finds, and what follows from it. */
async function publish(text: string): Promise<void> {
  const outside: OutsideFiles = { open: async () => ({ chunks: [Buffer.from(text)] as never, etag: undefined }) }
  await rows(api.context.db, "select screening.queue_refresh('un_sc', 0)")
  await runDueSteps({ ...api.context, outside })
}

const SOURCES = { lists: ['sanctions'], sources: ['un_sc'] }

test('a watched subject is told of to its owner when the list changes it, once, and not when it does not', async () => {
  const owner = await openOwner(api)
  await rows(
    api.context.db,
    "select webhook.register(gen_random_uuid(), $1, null, 'http://127.0.0.1:9/', '{screening.changed}', null, 's', 9)",
    [owner.accountId],
  )
  const events = async () =>
    (
      await rows<{ payload: Record<string, unknown> }>(
        api.context.db,
        'select d.payload from svc.webhook_delivery d join svc.webhook_endpoint e on e.id = d.endpoint_id where e.account_id = $1 order by d.sequence',
        [owner.accountId],
      )
    ).map(({ payload }) => payload)
  await publish(UN_FILE.replace('BRIGADE OF THE PAPER MOON', 'SOMETHING ELSE'))
  const before = await owner.balance()
  const made = await owner.ask('POST', '/v1/screening/monitors', {
    name: 'Brigade of the Paper Moon',
    referenceId: 'r',
    months: 2,
    ...SOURCES,
  })
  expect(made).toMatchObject({ status: 201, body: { state: 'active', status: 'clear', matches: [] } })
  expect(before - (await owner.balance())).toBe(4_000n)

  await publish(UN_FILE)
  expect(await events()).toMatchObject([
    { monitorId: made.body.id, referenceId: 'r', formerStatus: 'clear', status: 'review', added: ['un_sc:6900002'] },
  ])
  await publish(UN_FILE.replace('QADIR', 'QADYR'))
  expect(await events()).toHaveLength(1)
  await publish(UN_FILE.replace('<CITY>Nowhere', '<CITY>Elsewhere'))
  expect((await events())[1]).toMatchObject({ added: [], changed: ['un_sc:6900002'], removed: [] })
  await publish(UN_FILE.replace(/<ENTITY>[\s\S]*<\/ENTITY>/, ''))
  expect((await events())[2]).toMatchObject({ status: 'clear', formerStatus: 'review', removed: ['un_sc:6900002'] })

  const version: number = await value(
    api.context.db,
    "select current_version from svc.screening_list where key = 'un_sc'",
  )
  await queueRescreen(api.context.db, version, '00000000-0000-0000-0000-000000000000')
  await runDueSteps(api.context)
  expect(await events()).toHaveLength(3)
  const log = await value<object[]>(api.context.db, 'select audit.read($1, $2, $3)', [
    owner.accountId,
    'screening_monitor',
    made.body.id,
  ])
  expect(log).toHaveLength(3)
})

test('a refresh that is asked for while another runs is done, and so is what a newer version needs searched', async () => {
  const { db } = api.context
  let opened = 0
  const open = async () => {
    if (++opened === 1) await rows(db, "select screening.queue_refresh('un_sc', 0)")
    return { chunks: [Buffer.from(UN_FILE)] as never, etag: undefined }
  }
  await rows(db, "select screening.queue_refresh('un_sc', 0)")
  await runDueSteps({ ...api.context, outside: { open } as OutsideFiles })
  expect(opened).toBe(2)
  const waiting =
    "select payload, run_at > now() + interval '1 hour' as is_later from lane_step._private_jobs where key like $1"
  expect(await rows(db, waiting, ['screening.refresh:un_sc'])).toMatchObject([{ is_later: true }])

  const version: number = await value(db, "select current_version from svc.screening_list where key = 'un_sc'")
  const queue = (newer: number) =>
    rows(
      db,
      "select step.queue('screening.rescreen', json_build_object('versionId', $1::integer), now(), list_id::text) from svc.screening_version where id = $2",
      [newer, version],
    )
  await queue(version + 1)
  await queueRescreen(db, version, '00000000-0000-0000-0000-000000000000')
  expect(await rows(db, waiting, ['screening.rescreen:%'])).toMatchObject([{ payload: { versionId: version + 1 } }])
  await rows(db, "delete from lane_step._private_jobs where key like 'screening.rescreen:%'")
})

test('a dismissed match is none for the monitor of the subject', async () => {
  const owner = await openOwner(api)
  await publish(UN_FILE)
  const asked = { name: 'Qadir bin Wahmi', referenceId: 'r', ...SOURCES }
  const { screeningId, matches } = (await owner.screen(asked)).body
  const dismissal = { entityId: matches[0].entityId, reason: 'Another one.' }
  await owner.ask('POST', `/v1/screening/matches/${screeningId}/dismissals`, dismissal)
  const made = (await owner.ask('POST', '/v1/screening/monitors', asked)).body
  expect(made).toMatchObject({ status: 'clear', matches: [{ falsePositive: true }] })
  await publish(UN_FILE.replace('Abu Nobody', 'Abu Nothing'))
  const read = (await owner.ask('GET', `/v1/screening/monitors/${made.id}`)).body
  expect(read).toMatchObject({ status: 'review', matches: [{ falsePositive: false }], changedAt: expect.any(String) })
})

test('a list that is indexed anew by other rules changes nothing for what was dismissed and is watched', async () => {
  const owner = await openOwner(api)
  const { db } = api.context
  const names = [{ name: 'Zenobia Indexedanew', type: 'primary' as const }]
  const entities = [{ ...createEntity('indexed-anew', 'person', ['sanctions']), names }]
  const load = async (indexVersion: number) => {
    const list = { key: 'un_sc', title: 'UN', families: ['sanctions'] }
    const version = await storeEntities(openLoadStore(db), list, entities, undefined, indexVersion)
    return activateLoad(openLoadStore(db), version, { sha256: 'x' }, { leastShare: 0, keep: 2 })
  }
  await load(2)
  const asked = { name: 'Zenobia Indexedanew', referenceId: 'indexed-anew', ...SOURCES }
  const { screeningId, matches } = (await owner.screen(asked)).body
  const dismissal = { entityId: matches[0].entityId, reason: 'Another one.' }
  await owner.ask('POST', `/v1/screening/matches/${screeningId}/dismissals`, dismissal)
  const monitor = (await owner.ask('POST', '/v1/screening/monitors', asked)).body

  expect(await load(9)).toMatchObject({ state: 'active', entries: 1 })
  await runDueSteps(api.context)

  const again = (await owner.screen(asked)).body
  expect(again).toMatchObject({ status: 'clear', matches: [{ falsePositive: true, entryHash: matches[0].entryHash }] })
  const read = (await owner.ask('GET', `/v1/screening/monitors/${monitor.id}`)).body
  expect(read).toMatchObject({ status: 'clear', changedAt: null })
})

test('a monitor ends with its time or by its owner, is listed for that one alone, and there are only so many', async () => {
  const [owner, other] = [await openOwner(api), await openOwner(api)]
  const start = (name: string) => owner.ask('POST', '/v1/screening/monitors', { name, allowSample: true })
  const [first, second] = [(await start('First One')).body, (await start('Second One')).body]
  await writeSetting(api.context.db, 'screening.max_monitors', 2)
  await api.context.settings.refresh()
  const before = await owner.balance()
  expect((await start('Third One')).body).toMatchObject({ code: 'TOO_MANY_MONITORS', max: 2 })
  expect(await owner.balance()).toBe(before)
  expect((await other.ask('GET', `/v1/screening/monitors/${first.id}`)).status).toBe(404)
  expect((await other.ask('DELETE', `/v1/screening/monitors/${first.id}`)).status).toBe(404)
  expect((await owner.ask('DELETE', `/v1/screening/monitors/${first.id}`)).body.state).toBe('ended')
  expect((await owner.ask('DELETE', `/v1/screening/monitors/${first.id}`)).body.code).toBe('ILLEGAL_TRANSITION')
  await runDueSteps(api.context)
  const states = async () =>
    (await owner.ask('GET', '/v1/screening/monitors')).body.data.map(({ state }: { state: string }) => state)
  expect(await states()).toEqual(['active', 'ended'])
  await rows(api.context.db, 'update svc.screening_monitor set ends_at = now() where id = $1', [second.id])
  await runDueSteps(api.context)
  expect(await states()).toEqual(['ended', 'ended'])
})
