import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDatabase } from '../../support/database/fresh.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runCli } from '../../support/stack/run-cli.ts'

const KEY = 'correct horse battery staple'

let api: InProcessApi
let folder: Awaited<ReturnType<typeof freshFolder>>
beforeAll(async () => {
  ;[api, folder] = await Promise.all([openInProcessApi(), freshFolder()])
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const env = (more: Record<string, string> = {}) => ({
  DATABASE_URL: api.context.config.databaseUrl!,
  DATA_DIR: api.context.config.dataDir,
  SECRET: api.context.config.secret,
  BACKUP_TO: '',
  BACKUP_KEY: KEY,
  ...more,
})
const cli = (...args: string[]) => runCli(env(), ...args)

test('a damaged newest manifest stops no later backup, and is told', async () => {
  const to = join(folder.path, 'damaged-manifests')
  const create = () => cli('backup', 'create', '--to', to, '--json')
  const verify = () => cli('backup', 'verify', '--from', to)
  await create()
  await create()
  const listManifests = () => readdirSync(join(to, 'backups')).sort()
  const damage = (change: (text: string) => string) => {
    const newest = join(to, 'backups', listManifests().at(-1)!)
    writeFileSync(newest, change(readFileSync(newest, 'utf8')))
  }
  for (const change of [
    (text: string) => text.slice(0, 90),
    () => '',
    (text: string) => text.replace('"rows":', '"rows":1'),
    (text: string) => text.replace(/"sealed":"..../, '"sealed":"AAAA'),
  ]) {
    damage(change)
    const count = listManifests().length
    expect(await create()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/The backup \S+ was made, but older ones could not be removed: .*manifest/),
    })
    expect(listManifests()).toHaveLength(count + 1)
    expect(await verify()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('whole') })
  }
  const wrong = await runCli(env({ BACKUP_KEY: `${KEY}r` }), 'backup', 'create', '--to', to)
  expect(wrong.stderr).toContain('BACKUP_KEY is not the passphrase')
  // Without any manifest that can be read, the place begins anew.
  for (const name of listManifests()) writeFileSync(join(to, 'backups', name), '')
  expect((await create()).stderr).toContain('was made, but')
  expect((await verify()).stdout).toContain('whole')
})

test('without an id, the newest backup that is whole is verified, or named instead of being restored', async () => {
  const to = join(folder.path, 'damaged-newest')
  const create = async () => JSON.parse((await cli('backup', 'create', '--to', to, '--json')).stdout).backup as string
  const ids = [await create(), await create(), await create(), await create()] as const
  for (const [id, content] of [
    [ids[0], ''],
    [ids[2], '{"manifest":'],
    [ids[3], ''],
  ] as const)
    writeFileSync(join(to, 'backups', id), content)
  const verified = await cli('backup', 'verify', '--from', to)
  expect(verified).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(ids[1]) })
  for (const id of [ids[0], ids[2], ids[3]])
    expect(verified.stdout).toContain(`The manifest of the backup ${id} is damaged.`)
  expect((await cli('backup', 'verify', '--from', to, ids[3])).stderr).toContain('is damaged')
  await using database = await emptyDatabase()
  const target = ['--database-url', database.url, '--data-dir', join(folder.path, 'restored-whole')]
  const refused = await cli('backup', 'restore', to, ...target)
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`${ids[3]} is damaged`) })
  expect(refused.stderr).toContain(ids[1])
  const restored = await cli('backup', 'restore', to, ids[1], ...target, '--json')
  expect(restored.exitCode).toBe(0)
  expect(JSON.parse(restored.stdout)).toMatchObject({ backup: ids[1] })
  for (const id of ids) writeFileSync(join(to, 'backups', id), '')
  expect(await cli('backup', 'verify', '--from', to)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(ids[3]),
  })
})

test('backups among the objects that they are of are refused', async () => {
  const dataDir = api.context.config.dataDir
  for (const to of [join(dataDir, 'objects'), join(dataDir, 'objects', 'backups-of-it'), dataDir]) {
    const refused = await cli('backup', 'create', '--to', to)
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not apart from the objects') })
  }
  const ofObjects = { S3_BUCKET: 'one-bucket', S3_ENDPOINT: 'http://127.0.0.1:9', S3_FORCE_PATH_STYLE: 'true' }
  const inBucket = env({ ...ofObjects, BACKUP_S3_ENDPOINT: ofObjects.S3_ENDPOINT, BACKUP_TO: 's3://one-bucket/copies' })
  const refused = await runCli(inBucket, 'backup', 'create')
  expect(refused.stderr).toContain('s3://one-bucket/copies is the bucket of the objects')
  const listed = await runCli(env({ BACKUP_TO: '' }), 'backup', 'list')
  expect(listed.stdout).toMatch(/failed .*is the bucket of the objects/)
})

test('files of others in the place of the backups are left alone', async () => {
  const to = join(folder.path, 'shared-place')
  for (const name of ['backups/0-of-others', 'parts/of-others']) {
    mkdirSync(join(to, dirname(name)), { recursive: true })
    writeFileSync(join(to, name), 'theirs')
  }
  expect(await cli('backup', 'create', '--to', to)).toMatchObject({ exitCode: 0 })
  expect(await cli('backup', 'create', '--to', to)).toMatchObject({ exitCode: 0 })
  expect(readFileSync(join(to, 'parts/of-others'), 'utf8')).toBe('theirs')
  expect(readFileSync(join(to, 'backups/0-of-others'), 'utf8')).toBe('theirs')
})
