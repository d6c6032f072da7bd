import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../pools/index.ts'
import { plainPdf } from '../support/pdf/document.ts'
import { runJob, testPools } from '../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

test('gives each job a folder that no other user can list, and removes it', async () => {
  const folder = await pools.openFolder('a-job')
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  await writeFile(join(folder, 'left'), 'behind')
  await pools.closeFolder('a-job')
  expect(await readdir(dirname(folder))).not.toContain('a-job')
  await expect(async () => pools.openFolder('../escape')).rejects.toThrow('not a valid folder name')
})

test('runs an operation without tools in a thread', async () => {
  const { result } = await runJob(pools, 'utils.hash', { text: 'abc', algorithms: ['sha256'] })
  expect(result.hashes).toEqual({ sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' })
})

test('returns an input that is stored elsewhere as a link to it, so that it stays where it is', async () => {
  const folder = await pools.openFolder('linked')
  const path = join(dirname(folder), 'stored.pdf')
  await writeFile(path, plainPdf(1))
  const file = { path, type: 'application/pdf', sizeBytes: plainPdf(1).length, name: undefined, facts: {} }
  const job = { jobId: 'linked', folder, signal: new AbortController().signal, limitSeconds: 30 }
  const input = { file, strategy: 'auto', allowBreakSignatures: false }
  const answer = await pools.run({ ...job, operation: 'pdf.repair', input })
  const returned = join(folder, 'returned-0')
  expect(answer).toMatchObject({ ok: true, outcome: { result: { healthy: true, output: { path: returned } } } })
  expect(await readFile(returned)).toEqual(await readFile(path))
  await pools.closeFolder('linked')
})

const NAMES = 'path,output,files,inline,problem,result,units,facts,sizeBytes'
const CALLED = Buffer.from(`${NAMES}\n/etc/passwd,1,2,3,4,5,6,7,8\n../x,2,2,3,4,5,6,7,8\n`)
const nameEach = (value: unknown) => Object.fromEntries(NAMES.split(',').map(column => [column, value]))

test.each([
  ['data.filter', { file: CALLED, where: { column: 'path', op: 'notNull', value: { path: 'a', facts: {} } } }],
  ['data.filter', { file: CALLED, where: 'path IS NOT NULL' }],
  ['data.sort', { file: CALLED, by: [{ column: 'path', dir: 'asc', nulls: 'last' }] }],
  ['data.slice', { file: CALLED, limit: 2 }],
  ['data.sample', { file: CALLED, n: 2 }],
  ['data.rename', { file: CALLED, columns: { path: 'facts', facts: 'path' } }],
  ['data.cast', { file: CALLED, types: nameEach('string') }],
  ['data.derive', { file: CALLED, columns: [{ name: 'name', expr: 'path' }] }],
  ['data.dropna', { file: CALLED }],
  ['data.fillna', { file: CALLED, values: { path: 'x', facts: 1 } }],
  ['data.explode', { file: CALLED, column: 'path', separator: '/' }],
  ['data.groupby', { file: CALLED, by: ['path'], aggs: [{ fn: 'count', as: 'facts' }] }],
  ['data.pivot', { file: CALLED, index: ['path'], columns: 'output', values: 'units' }],
  ['data.join', { left: CALLED, right: CALLED, on: ['path'] }],
  ['data.union', { files: [CALLED, CALLED] }],
  ['data.diff', { left: CALLED, right: CALLED, keys: ['path'] }],
  ['data.validate', { file: CALLED, rules: [{ column: 'path', unique: true }] }],
  ['data.profile', { file: CALLED }],
  ['data.schema-infer', { file: CALLED }],
  ['data.to-xlsx', { file: CALLED }],
  ['data.sql', { file: CALLED, sql: `SELECT ${NAMES} FROM input` }],
  ['csv.convert', { file: CALLED, to: 'json' }],
  ['csv.select', { file: CALLED, columns: ['path', 'output'] }],
  ['csv.dedupe', { file: CALLED, keys: ['path'] }],
] as const)('takes columns of %s that are called as our own fields for columns', async (operation, body) => {
  const { result } = await runJob(pools, operation, body)
  const rows = (result.rowsOut ?? result.rows ?? 2) as number
  expect(rows).toBeGreaterThanOrEqual(operation === 'data.diff' ? 0 : 2)
})

test('reports every tool with its version, and that the web may not be reached', async () => {
  const reports = await pools.tools()
  const lanes = Object.fromEntries(reports.map(({ name, lane }) => [name, lane]))
  expect(lanes).toMatchObject({ jose: 'thread', libpdf: 'native', qpdf: 'program', sharp: 'native' })
  const missing = reports.filter(({ ok }) => !ok)
  const install = 'OUTBOUND=public npm start'
  expect(missing).toContainEqual({ name: 'web', lane: 'remote', ok: false, isAbsent: true, install })
  expect(missing.filter(({ lane }) => lane !== 'remote')).toEqual([])
  const others = reports.filter(({ ok }) => ok)
  for (const report of others)
    expect(report).toMatchObject({ ok: true, version: expect.stringMatching(/^\d+\.\d+|7zz|^local$/) })
})

test('changes how many jobs of a lane run at once without a restart', async () => {
  pools.resize('program', 0)
  const waiting = runJob(pools, 'pdf.rotate', { file: plainPdf(1), degrees: '90' })
  await expect.poll(() => pools.stats().program.waiting).toBe(1)
  expect(pools.stats().program).toMatchObject({ size: 0, running: 0 })
  pools.resize('program', 2)
  expect((await waiting).result.rotatedPages).toBe(1)
  expect(pools.stats().program).toMatchObject({ size: 2, running: 0, waiting: 0 })
})

test('never starts a job that is cancelled while it waits', async () => {
  pools.resize('program', 0)
  const stop = new AbortController()
  const waiting = runJob(pools, 'pdf.rotate', { file: plainPdf(1), degrees: '90' }, { signal: stop.signal })
  await expect.poll(() => pools.stats().program.waiting).toBe(1)
  stop.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  expect(pools.stats().program.waiting).toBe(0)
  pools.resize('program', 2)
})

test('reports figures of threads and child processes', async () => {
  await runJob(pools, 'utils.hash', { text: 'abc' })
  expect(pools.stats().thread).toMatchObject({ size: 2, threads: expect.any(Number), recycled: 0 })
  expect(pools.stats().native).toMatchObject({ children: expect.any(Number), rssBytes: expect.any(Number), crashed: 0 })
})

test('without a sandbox in production, programs and native engines are refused and the rest works', async () => {
  await using refusing = await testPools({ sandbox: 'off', production: true })
  expect(refusing.sandboxLevel).toBeUndefined()
  await expect(runJob(refusing, 'pdf.rotate', { file: plainPdf(1), degrees: '90' })).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
  })
  const reports = await refusing.tools()
  for (const { ok, lane, install } of reports)
    expect({ ok, hasHint: !!install }).toEqual({ ok: lane === 'thread', hasHint: lane !== 'thread' })
  expect((await runJob(refusing, 'utils.hash', { text: 'abc' })).result.hashes).toBeDefined()
})

test('with the sandbox off in development everything runs, unconfined', async () => {
  await using unconfined = await testPools({ sandbox: 'off' })
  expect(unconfined.sandboxLevel).toBe(0)
  expect((await runJob(unconfined, 'pdf.rotate', { file: plainPdf(2), degrees: '90' })).result.rotatedPages).toBe(2)
})

test.runIf(process.getuid?.() === 0)('confines even if only root may enter the folder', async () => {
  await using confined = await testPools()
  const folder = await confined.openFolder('x')
  await chmod(dirname(dirname(dirname(folder))), 0o700)
  expect((await runJob(confined, 'pdf.rotate', { file: plainPdf(2), degrees: '90' })).result.rotatedPages).toBe(2)
})

test('a second pool on the same root leaves the folders of the first alone', async () => {
  const folder = await pools.openFolder('alive')
  await using second = await testPools({ workRoot: dirname(dirname(folder)) })
  await second.removeDeadFolders(async () => undefined)
  expect(await stat(folder)).toBeDefined()
  expect(await second.openFolder('own')).not.toBe(folder)
})
