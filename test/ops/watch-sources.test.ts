import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { superviseProcess } from '../../ops/supervisor/supervised-process.ts'
import { findAffectedRoles, watchSources } from '../../ops/supervisor/watch-sources.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'

test.each([
  ['api/intake/fund.ts', ['api', 'console']],
  ['api/surfaces/docs/page.css', ['api', 'console']],
  ['api/console/pages/today.ts', ['console']],
  ['pools/threads/run.ts', ['worker']],
  ['workers/main.ts', ['worker']],
  ['tasks/pdf/rotate.ts', ['api', 'worker', 'console']],
  ['sql/functions/ledger.sql', ['api', 'worker', 'console']],
  ['ops/config.ts', ['api', 'worker', 'console']],
  ['ops/providers/mail/smtp.ts', ['api', 'worker', 'console']],
  ['ops/modules/resolve.ts', ['api', 'worker', 'console']],
  ['ops/dev-chain/role.ts', ['local chain']],
  ['ops/start.ts', []],
  ['ops/architecture.md', []],
])('a change of %s restarts %j', (path, roles) => {
  expect(findAffectedRoles(path)).toEqual(roles)
})

test('changed and new source files are reported in batches, other files are not', async () => {
  await using folder = await freshFolder()
  for (const name of ['api', 'ops/bench', 'pools', 'sql', 'tasks', 'workers']) {
    await mkdir(join(folder.path, name), { recursive: true })
  }
  const batches: string[][] = []
  const watcher = watchSources(folder.path, paths => batches.push([...paths].sort()))
  try {
    await writeFile(join(folder.path, 'ops/bench/ignored.ts'), '')
    await writeFile(join(folder.path, 'api/ignored.md'), '')
    await writeFile(join(folder.path, 'api/one.ts'), '')
    await writeFile(join(folder.path, 'sql/two.sql'), '')
    await eventually('the first batch', () => batches.length === 1)
    await mkdir(join(folder.path, 'tasks/new'))
    await eventually('a file in a new folder', async () => {
      await writeFile(join(folder.path, 'tasks/new/three.ts'), String(Date.now()))
      return batches.length > 1
    })
  } finally {
    watcher.close()
  }
  expect(batches[0]).toEqual(['api/one.ts', 'sql/two.sql'])
  expect(batches[1]).toEqual(['tasks/new/three.ts'])
})

test('a restarted process runs again at once, without a warning', async () => {
  await using folder = await freshFolder()
  const script = join(folder.path, 'role.mjs')
  await writeFile(
    script,
    "process.on('SIGTERM', () => process.exit(0)); process.send({ ready: true }); setInterval(() => {}, 1e6)",
  )
  const warnings: unknown[] = []
  const pids: number[] = []
  const role = superviseProcess({
    name: 'api',
    script,
    env: { PATH: process.env.PATH },
    log: { info: () => undefined, warn: (...args: unknown[]) => void warnings.push(args) } as never,
    onStart: pid => pids.push(pid),
  })
  await role.ready
  await role.restart(5_000)
  await eventually('the second process', () => pids.length === 2)
  expect(role.pid()).toBe(pids[1])
  expect(warnings).toEqual([])
  await role.stop(5_000)
})
