import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import { LocalStore } from '../../ops/providers/storage/local.ts'
import { rows } from '../../sql/db.ts'
import { findOpenJobs } from '../../sql/job.ts'
import { findUnrecorded, recordUpload } from '../../sql/object.ts'
import purgeStaged from '../../tasks/chores/purge-staged.ts'
import purgeUnrecorded from '../../tasks/chores/purge-unrecorded.ts'
import { buildCall, openTestLedger } from '../support/database/ledger.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { LONG_CALL_PATH, longCallBody } from '../support/stack/long-job.ts'
import { startStack } from '../support/stack/start.ts'

const MINUTE = 60_000

test('what a worker leaves that is killed after it has stored an output is removed', async () => {
  await using stack = await startStack({ worker: false, env: { LANES: 'thread,native' } })
  const worker = await stack.startWorker()
  const customer = await stack.customer()
  const listOutputs = async () => {
    const names = await readdir(join(stack.dataDir, 'objects'), { recursive: true })
    // The input is staged beside the outputs, if the intake found that it is too large for the queue.
    return names.filter(name => name.startsWith('scratch/') && name.includes('~') && !name.endsWith('.type'))
  }

  const blocker = new pg.Client({ connectionString: stack.databaseUrl })
  // Without a listener its end would end the test's process, were the test to fail before it.
  blocker.on('error', () => undefined)
  await blocker.connect()
  await blocker.query('begin; lock table svc.object in access exclusive mode')
  const { body } = await customer.post(LONG_CALL_PATH, longCallBody(50), { prefer: 'respond-async' })
  await eventually('the output to be stored', async () => (await listOutputs()).length === 1, 60_000)
  await eventually('its end to wait', async () => (await rows(stack.db, FINISHING)).length > 0, 60_000)
  await worker.kill()
  await rows(stack.db, `select pg_terminate_backend(pid) from (${FINISHING}) f`)
  await blocker.query('rollback')
  await blocker.end()
  const [left] = await listOutputs()
  const [dead] = await readdir(join(stack.dataDir, 'work'))
  await utimes(join(stack.dataDir, 'work', dead!), 0, 0)

  await using _next = await stack.startWorker()
  expect((await customer.waitForEnd(body.ticket, 120_000)).status).toBe('succeeded')
  await eventually('the output of no job to be gone', async () => !(await listOutputs()).includes(left!), 120_000)
  await eventually(
    'the folder of the dead worker to be gone',
    async () => !(await readdir(join(stack.dataDir, 'work'))).includes(dead!),
  )
  expect(await listOutputs()).toHaveLength(1)
}, 300_000)

const FINISHING = `select pid from pg_stat_activity where datname = current_database()
  and application_name = 'coinop worker finish' and wait_event_type = 'Lock'`

test('staged files of calls that are over and drafts of dead writers are removed, those of open jobs are not', async () => {
  await using ledger = await openTestLedger()
  await using folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, publicUrl: 'http://localhost', secret: 'a secret of the tests' })
  const call = buildCall(await ledger.openAccount(10_000n))
  await ledger.jobs.intake(call)
  const [open, over, fresh, old] = [`stage/${call.id}/${newId()}`, `stage/${newId()}/${newId()}`].concat(
    `stage/${newId()}/${newId()}`,
    `stage/${newId()}`,
  ) as [string, string, string, string]
  for (const key of [open, over, fresh, old]) await store.put(key, Buffer.from('x'), { contentType: 'text/plain' })
  const makeOld = (path: string) => utimes(path, (Date.now() - 20 * MINUTE) / 1_000, (Date.now() - 20 * MINUTE) / 1_000)
  for (const key of [open, over, old]) await makeOld(store.localPath(key))
  const halfWritten = store.put('scratch/a/b', stall(), { contentType: 'text/plain' })
  const drafts = join(folder.path, 'objects', '.drafts')
  const [draft] = await eventually('the draft', async () => {
    const names = await readdir(drafts).catch(() => [])
    return names.length > 0 && names
  })
  await makeOld(join(drafts, draft!))

  const jobs = { findOpen: (ids: readonly string[]) => findOpenJobs(ledger.db, ids) }
  await purgeStaged.run({ store, jobs, now: () => new Date(), log: () => undefined } as never)
  const kept = (await Array.fromAsync(store.list('stage/'))).map(({ key }) => key)
  expect(kept.sort()).toEqual([fresh, old, open].sort())
  expect(await readdir(drafts)).toEqual([])
  stalled.resolve()
  await expect(halfWritten).rejects.toThrow()
})

test('outputs that no job has recorded are removed after a while, recorded and fresh ones are not', async () => {
  await using ledger = await openTestLedger()
  await using folder = await freshFolder()
  const store = new LocalStore({ dataDir: folder.path, publicUrl: 'http://localhost', secret: 'a secret of the tests' })
  const accountId = await ledger.openAccount(0n)
  const [recorded, lost, fresh] = Array.from({ length: 3 }, () => `scratch/${accountId}/${newId()}`) as [
    string,
    string,
    string,
  ]
  for (const key of [recorded, lost, fresh]) await store.put(key, Buffer.from('x'), { contentType: 'text/plain' })
  const longAgo = (Date.now() - 120 * MINUTE) / 1_000
  for (const key of [recorded, lost]) await utimes(store.localPath(key), longAgo, longAgo)
  await recordUpload(ledger.db, { accountId, key: recorded, contentType: 'text/plain', hours: 24 })

  const objects = { findUnrecorded: (keys: readonly string[]) => findUnrecorded(ledger.db, keys) }
  await purgeUnrecorded.run({ store, objects, now: () => new Date(), log: () => undefined } as never)
  const kept = (await Array.fromAsync(store.list('scratch/'))).map(({ key }) => key)
  expect(kept.sort()).toEqual([recorded, fresh].sort())
})

const stalled = Promise.withResolvers<void>()

async function* stall(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half')
  await stalled.promise
}
