import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import openScreening from '../../../api/products/screening/open.ts'
import { runs } from '../../../ops/products/screening/cli/screening.ts'
import { openOutsideFiles } from '../../../ops/providers/lists/open.ts'
import { rows } from '../../../sql/db.ts'
import { failLoad, openLoadStore } from '../../../sql/screening/loads.ts'
import { ensureRefreshes } from '../../../sql/screening/steps.ts'
import { writeSetting } from '../../../sql/setting.ts'
import { createEntity } from '../../../tasks/products/screening/entity.ts'
import { dropLoad, storeEntities } from '../../../tasks/products/screening/load.ts'
import { countPendingPages } from '../../support/database/pending-pages.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runDueSteps } from '../../support/stack/run-steps.ts'
import { EU_FILE, OFAC_FILES, UK_FILE, UN_FILE } from './list-files.ts'
import { openOwner } from './owner.ts'
import { listMiscounted } from './words.ts'

const EVERY = ['us_ofac_sdn', 'un_sc', 'eu_fsf', 'uk_fcdo']

let api: InProcessApi
let folder: Awaited<ReturnType<typeof freshFolder>>
beforeAll(async () => {
  api = await openInProcessApi()
  folder = await freshFolder()
  await writeSetting(api.context.db, 'screening.lists', EVERY)
  await api.context.settings.refresh()
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

let changes = 0
/** Files are told by their times, of which two writes may have the same. */
async function put(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder.path, name)
    await writeFile(path, text)
    const time = new Date(Date.now() + ++changes * 1_000)
    await utimes(path, time, time)
  }
}

async function refresh(fetch?: Parameters<typeof openOutsideFiles>[1]): Promise<void> {
  await ensureRefreshes(api.context.db, EVERY)
  const outside = openOutsideFiles(
    { folder: folder.path, urls: new Map([['eu_fsf', 'https://example.test/eu?token=t']]) },
    fetch,
  )
  await runDueSteps({ ...api.context, outside })
}

async function readLists() {
  const { lists } = (await api.app.inject('/v1/screening/lists')).json()
  return (key: string) => lists.find(({ source }: { source: string }) => source === key)
}

const UN_ENTRY = /<ENTITY>[\s\S]*<\/ENTITY>/.exec(UN_FILE)![0]
/** The list with so many entries. */
function growUn(entries: number): string {
  const added = Array.from({ length: entries - 1 }, (_, at) => UN_ENTRY.replace('6900002', String(6_910_000 + at)))
  return UN_FILE.replace(UN_ENTRY, added.join(''))
}

test('lists are loaded from the folder, and a name is then searched in what is there', async () => {
  const owner = await openOwner(api)
  await put({ ...OFAC_FILES, 'un_consolidated.xml': growUn(10) })
  await refresh()
  expect(await countPendingPages(api.context.db, ['screening_word', 'screening_entity'])).toBe(0)
  const find = await readLists()
  expect(find('un_sc')).toMatchObject({
    state: 'loaded',
    entries: 10,
    publishedAt: '2026-11-01T10:00:00Z',
    failure: null,
  })
  expect(find('us_ofac_sdn')).toMatchObject({
    state: 'loaded',
    entries: 3,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(find('uk_fcdo').state).toBe('not-loaded')

  expect((await api.app.inject('/v1/capabilities')).json().screening).toMatchObject({
    sanctions: { available: true, state: 'partial', loaded: ['us_ofac_sdn', 'un_sc'], missing: ['eu_fsf', 'uk_fcdo'] },
    pep: { available: false, state: 'none', missing: ['opensanctions'], set: 'OUTBOUND=public, or LISTS_DIR' },
  })

  const before = await owner.balance()
  const asked = { name: 'Zorblatt Quexington', lists: ['sanctions'] }
  const partial = (await owner.screen(asked)).body
  expect(partial).toMatchObject({
    status: 'review',
    incomplete: true,
    matches: [{ entityId: 'us_ofac_sdn:1001', list: 'sanctions' }],
  })
  expect(partial.coverage.sanctions).toMatchObject({ state: 'partial', missing: ['eu_fsf', 'uk_fcdo'] })
  expect(before - (await owner.balance())).toBe(2_500n)
  expect((await owner.screen({ name: 'Perfectly Unknown', lists: ['sanctions'] })).body.status).toBe('review')

  const chosen = (await owner.screen({ name: 'Perfectly Unknown', lists: ['sanctions'], sources: ['un_sc'] })).body
  expect(chosen).toMatchObject({ status: 'clear', incomplete: false, coverage: { sanctions: { state: 'full' } } })
  expect((await owner.screen({ name: 'A B', lists: ['pep'] })).body).toMatchObject({
    code: 'SCREENING_LISTS_NOT_LOADED',
    missing: ['opensanctions'],
  })

  const fetched: string[] = []
  await put({ 'UK-Sanctions-List.csv': UK_FILE })
  await refresh(async (url, { etag }) => {
    fetched.push(`${url} ${etag}`)
    return etag ? undefined : { chunks: [Buffer.from(EU_FILE)] as never, etag: 'v1' }
  })
  expect(fetched).toEqual(['https://example.test/eu?token=t undefined'])
  const full = (await owner.screen({ name: 'Perfectly Unknown', lists: ['sanctions'] })).body
  expect(full).toMatchObject({ status: 'clear', incomplete: false })
})

test('the command line prints the lists, and queues the refresh of one at once', async () => {
  const { db, config } = api.context
  const printed = await runs.lists!({ db, config } as never, [], {})
  expect(printed.data).toContainEqual(expect.objectContaining({ list: 'un_sc', entries: 10, failure: null }))
  expect(printed.data).toContainEqual(expect.objectContaining({ list: 'ch_seco', version: null, entries: null }))
  expect(printed.text).toMatch(/un_sc .*10/)
  await expect(runs.refresh!({ db, config } as never, ['un'], {})).rejects.toThrow(/un_sc/)
  // Nobody would load it, however often it is queued.
  await expect(runs.refresh!({ db, config } as never, ['ch_seco'], {})).rejects.toThrow(
    'setting set screening.lists us_ofac_sdn,un_sc,eu_fsf,uk_fcdo,ch_seco',
  )
  await runs.refresh!({ db, config } as never, ['un_sc'], {})
  const due = "select run_at <= now() as due from lane_step._private_jobs where key = 'screening.refresh:un_sc'"
  expect(await rows(db, due)).toEqual([{ due: true }])
})

test('what has not changed makes no version, and what is wrong with a file leaves the last version', async () => {
  const current = async (key: string) => (await readLists())(key)
  const before = await current('un_sc')
  await put({ 'un_consolidated.xml': `${growUn(10)}<!-- made again -->` })
  await refresh()
  expect(await current('un_sc')).toMatchObject({ version: before.version, failure: null })
  for (const [text, failure] of [
    [growUn(10).slice(0, -40), /truncated/],
    [growUn(7), /7 entries, the last one had 10/],
    [`<!DOCTYPE x [<!ENTITY a "b">]>${growUn(10)}`, /document type/],
    ['', /truncated/],
  ] as const) {
    await put({ 'un_consolidated.xml': text })
    await refresh()
    expect(await current('un_sc')).toMatchObject({
      version: before.version,
      entries: 10,
      failure: expect.stringMatching(failure),
    })
  }
  await put({ 'un_consolidated.xml': growUn(9).replace('QADIR', 'QADYR') })
  await refresh()
  const after = await current('un_sc')
  expect(after).toMatchObject({ entries: 9, failure: null })
  expect(after.version).toBeGreaterThan(before.version)
  expect(await rows(api.context.db, 'select * from svc.screening_seen')).toEqual([])

  const owner = await openOwner(api)
  const asked = { name: 'Qadir bin Wahmi', sources: ['un_sc'], lists: ['sanctions'] }
  const nameOf = async (body: object) => (await owner.screen(body)).body.matches[0].caption
  expect(await nameOf(asked)).toBe('QADYR BIN WAHMI')
  expect(await nameOf({ ...asked, asOf: before.version })).toBe('QADIR BIN WAHMI')
  expect((await owner.screen({ ...asked, asOf: after.version + 100 })).body.code).toBe('SCREENING_VERSION_UNKNOWN')
})

test('only so many versions are kept, and the counts of words are those of their entries', async () => {
  const { db } = api.context
  await writeSetting(db, 'screening.kept_versions', 2)
  await api.context.settings.refresh()
  for (const letter of ['A', 'E', 'O']) {
    await put({ 'un_consolidated.xml': growUn(9).replace('QADIR', `Q${letter}DIR`) })
    await refresh()
  }
  const kept = await rows(
    db,
    "select id from svc.screening_version where state = 'active' and list_id = (select id from svc.screening_list where key = 'un_sc')",
  )
  expect(kept).toHaveLength(2)
  const { version, versions } = (await readLists())('un_sc')
  const idsOf = (shown: { version: number }[]) => shown.map(one => one.version)
  expect(idsOf(versions)).toEqual(kept.map(({ id }) => Number(id)).toSorted((one, other) => other - one))
  expect(versions[0]).toMatchObject({ version, entries: 9, loadedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) })
  const owner = await openOwner(api)
  const asked = { name: 'Qedir bin Wahmi', sources: ['un_sc'], lists: ['sanctions'] }
  const captionOf = async (asOf: number) => (await owner.screen({ ...asked, asOf })).body.matches[0].caption
  expect(await Promise.all(idsOf(versions).map(captionOf))).toEqual(['QODIR BIN WAHMI', 'QEDIR BIN WAHMI'])
  expect((await readLists())('ca_sema').versions).toEqual([])
  expect(await listMiscounted(api.context.db)).toEqual([])
  await writeSetting(db, 'screening.kept_versions', null)
})

test('a list that could not be checked for long is stale, then counts as not loaded, and is never clear', async () => {
  const { db } = api.context
  const owner = await openOwner(api)
  const asked = { name: 'Perfectly Unknown', lists: ['sanctions'] }
  const age = (days: number) =>
    rows(db, "update svc.screening_list set checked_at = now() - make_interval(days => $1) where key = 'eu_fsf'", [
      days,
    ])
  await age(2)
  const stale = (await owner.screen(asked)).body
  expect(stale).toMatchObject({ status: 'review', incomplete: true })
  expect(stale.coverage.sanctions.sources.map(({ stale }: { stale: boolean }) => stale)).toContain(true)
  await age(15)
  expect((await owner.screen(asked)).body.coverage.sanctions).toMatchObject({ state: 'partial', missing: ['eu_fsf'] })
  expect((await readLists())('eu_fsf').state).toBe('expired')
  expect((await owner.screen({ ...asked, sources: ['eu_fsf'] })).body.code).toBe('SCREENING_LISTS_NOT_LOADED')
})

const EU = { key: 'eu_fsf', title: 'EU', families: ['sanctions'] }

async function giveUp(version: number): Promise<void> {
  await failLoad(api.context.db, version, 'given up')
  await dropLoad(openLoadStore(api.context.db), version, 'refused')
}

test('a load that another one overtakes stores nothing more', async () => {
  const { db } = api.context
  const begin = () => storeEntities(openLoadStore(db), EU, [])
  const first = await begin()
  await rows(db, "select screening.note_seen($1, '{a}', '{h}', '{0}', '{0}')", [first])
  const second = await begin()
  await expect(rows(db, "select screening.note_seen($1, '{b}', '{h}', '{0}', '{0}')", [first])).rejects.toThrow(
    /another load/,
  )
  for (const call of ["judge_load($1, '{}', 0)", 'end_entries($1, 0, 10)', "activate($1, '{}')"])
    await expect(rows(db, `select screening.${call}`, [first])).rejects.toThrow(/another load/)
  await giveUp(second)
  expect(await rows(db, 'select * from svc.screening_seen')).toEqual([])
})

test('a load that dies on its way to the swap leaves the old version whole, and the next load begins from that', async () => {
  const { db } = api.context
  const owner = await openOwner(api)
  const asked = { name: 'Vladislav Imaginarov', sources: ['eu_fsf'], lists: ['sanctions'] }
  await rows(db, "update svc.screening_list set checked_at = now() where key = 'eu_fsf'")
  const find = async () =>
    (await owner.screen(asked)).body.matches.map(({ entryHash }: { entryHash: string }) => entryHash)
  const before = await find()
  expect(before).toHaveLength(1)
  const store = openLoadStore(db)
  const made = Array.from({ length: 5 }, (_, at) => ({
    ...createEntity(`made-${at}`, 'person', ['sanctions']),
    names: [{ name: `Invented Halfloaded${at}`, type: 'primary' as const }],
  }))
  const version = await storeEntities(store, EU, made)
  const stored = 'select id from svc.screening_entity where first_version = $1 order by id'
  expect(await rows(db, stored, [version])).toHaveLength(5)
  await rows(db, 'select screening.end_entries($1, 0, 100000)', [version])
  const ended = 'select id from svc.screening_entity where end_version = $1'
  expect((await rows(db, ended, [version])).length).toBeGreaterThan(0)
  expect(await find()).toEqual(before)
  // The drop of it dies on its way too: three of its five entries are still there.
  expect(await store.stopLoads('eu_fsf')).toEqual([version])
  await expect(store.beginLoad(EU, 2)).rejects.toThrow(/another load/)
  const [, second] = (await rows(db, stored, [version])) as { id: bigint }[]
  await store.dropEntries(version, BigInt(second!.id) - 2n, 2)
  expect((await rows(db, stored, [version])).length).toBe(3)
  expect([await find(), await listMiscounted(api.context.db)]).toEqual([before, []])
  const next = await storeEntities(store, EU, [])
  expect([await rows(db, ended, [version]), await rows(db, stored, [version])]).toEqual([[], []])
  expect([await find(), await listMiscounted(api.context.db)]).toEqual([before, []])
  await giveUp(next)
})

test('lists that a setting adds are refreshed without a restart', async () => {
  const { db, config, log, settings } = api.context
  const platform = { config: { ...config, lists: { ...config.lists, folder: folder.path } }, db, log, settings }
  const opened = openScreening(platform as never)
  await writeSetting(db, 'screening.lists', [...EVERY, 'ch_seco'])
  await settings.refresh()
  const queued = "select key from lane_step._private_jobs where key = 'screening.refresh:ch_seco'"
  await expect.poll(() => rows(db, queued)).toHaveLength(1)
  await opened.close!()
})
