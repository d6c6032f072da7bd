import { createHash } from 'node:crypto'
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { listMiscounted } from '../products/screening/words.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { startStack } from '../support/stack/start.ts'

const ROUNDS = 4
const ENTRIES = 3_000
const WITHIN_MS = 300_000
const SYLLABLES = 'bok miz rut tel sag lon niv ved dup fim gar hox jul pef wat yim'.split(' ')

/** A list of which every entry says which edition it is of. */
function compose(edition: number): string {
  const entries = Array.from(
    { length: ENTRIES },
    (_, at) =>
      `<ENTITY><DATAID>${7_000_000 + at}</DATAID><FIRST_NAME>Brigade ${nameOf(at)}</FIRST_NAME><COMMENTS1>edition ${edition}</COMMENTS1></ENTITY>`,
  )
  return `<CONSOLIDATED_LIST dateGenerated="2026-11-0${edition + 1}T10:00:00Z"><ENTITIES>${entries.join('')}</ENTITIES></CONSOLIDATED_LIST>`
}

/** A word for each number, unlike the words of its neighbours. */
function nameOf(at: number): string {
  const digits = createHash('sha256').update(`${at}`).digest('hex').slice(0, 5)
  return [...digits].map(digit => SYLLABLES[Number.parseInt(digit, 16)]).join('')
}

test('a worker or an api that is killed within loads leaves one whole version, and each change is told once', async () => {
  await using folder = await freshFolder()
  const path = join(folder.path, 'un_consolidated.xml')
  let written = 0
  const publish = async (edition: number) => {
    await writeFile(path, compose(edition))
    const time = new Date(Date.now() + ++written * 1_000)
    await utimes(path, time, time)
    await rows(stack.db, "select screening.queue_refresh('un_sc', 0)")
  }
  await using stack = await startStack({ worker: false, env: { LISTS_DIR: folder.path } })
  await stack.writeSetting('screening.lists', ['un_sc'])
  await stack.writeSetting('screening.kept_versions', 2)
  let worker = await stack.startWorker()
  let { api } = stack
  // Each question is paid for, and a slow machine asks thousands of times.
  const customer = await stack.customer(10_000_000_000n)
  const readEdition = async () => {
    const asked = { name: `Brigade ${nameOf(2_999)}`, sources: ['un_sc'], lists: ['sanctions'] }
    const { status, body } = await customer.post('/v1/screening/match', asked)
    return status === 200 ? (body.matches[0]?.entity.remarks as string | undefined) : undefined
  }
  await publish(0)
  await eventually('the first edition', async () => (await readEdition()) === 'edition 0', WITHIN_MS)
  const watched = { name: `Brigade ${nameOf(17)}`, sources: ['un_sc'], lists: ['sanctions'] }
  const monitor = (await customer.post('/v1/screening/monitors', watched)).body
  expect(monitor.matches).toMatchObject([{ entityId: 'un_sc:7000017' }])

  for (let edition = 1; edition <= ROUNDS; edition++) {
    await publish(edition)
    await sleep(150 * edition)
    await worker.kill()
    // Whatever has been stored of the new edition, a search finds all of one edition.
    expect([`edition ${edition - 1}`, `edition ${edition}`]).toContain(await readEdition())
    if (edition % 2 === 0) {
      await api.kill()
      api = await stack.startApi()
    }
    worker = await stack.startWorker()
    // Another worker frees the step of the dead one; the refresh is asked for again as an operator would.
    await rows(stack.db, "select screening.queue_refresh('un_sc', 0)")
    await eventually('the new edition', async () => (await readEdition()) === `edition ${edition}`, WITHIN_MS)
    await eventually(
      'the monitor to be checked',
      async () =>
        (
          await rows(
            stack.db,
            "select from svc.screening_monitor m join svc.screening_list l on l.key = 'un_sc' where m.checked_version = l.current_version",
          )
        ).length === 1,
      WITHIN_MS,
    )
  }
  const log = await customer.get(`/v1/audit/screening_monitor/${monitor.id}`)
  const changes = (log.body.data as { action: string }[]).filter(({ action }) => action === 'changed')
  expect(changes).toHaveLength(ROUNDS)
  await eventually(
    'what dead loads have left to be gone',
    async () => {
      const left = await rows(stack.db, "select from svc.screening_version where state in ('loading', 'dropping')")
      return left.length === 0 && (await rows(stack.db, 'select from svc.screening_seen limit 1')).length === 0
    },
    WITHIN_MS,
  )
  expect(await listMiscounted(stack.db)).toEqual([])
  const current = await rows<{ n: string }>(
    stack.db,
    'select count(*)::text as n from svc.screening_entity where end_version is null',
  )
  expect(current).toEqual([{ n: String(ENTRIES) }])
  expect(await checkInvariants(stack.db)).toEqual([])
}, 1_200_000)
