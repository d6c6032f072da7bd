import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { summariseBackups } from '../../../sql/installation/backups.ts'
import { bindBackups } from '../../../workers/backups.ts'
import { emptyDatabase } from '../../support/database/fresh.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { startS3Server } from '../../support/servers/s3.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'
import { runCli } from '../../support/stack/run-cli.ts'
import { makeTraffic } from '../../support/stack/varied-traffic.ts'

const BACKUP_KEY = 'correct horse battery staple'

test('workers make a backup into a bucket when one is due, one of them at a time', async () => {
  await using s3 = await startS3Server()
  await using folder = await freshFolder()
  const bucket = {
    BACKUP_TO: `s3://${s3.bucket}/of-the-test`,
    BACKUP_S3_ENDPOINT: s3.url,
    BACKUP_S3_REGION: s3.keys.region,
    BACKUP_S3_ACCESS_KEY_ID: s3.keys.accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: s3.keys.secretAccessKey,
    BACKUP_S3_FORCE_PATH_STYLE: 'true',
    BACKUP_KEY,
  }
  await using api = await openInProcessApi(bucket)
  const { owner, drop } = await makeTraffic(api)
  const health = async () => (await api.app.inject('/health')).json().checks.backup.ok
  expect(await health()).toBe(false)
  const backups = bindBackups(api.context as never)!
  const made = (await Promise.all([backups.makeIfDue(), backups.makeIfDue()])).filter(Boolean)
  expect(made).toMatchObject([{ objects: 2, absentKeys: [] }])
  expect(await backups.makeIfDue()).toBeUndefined()
  expect(await health()).toBe(true)
  expect([...s3.objects.keys()].every(key => /^of-the-test\/(parts|backups)\//.test(key))).toBe(true)

  await using target = await emptyDatabase()
  const into = ['--database-url', target.url, '--data-dir']
  const restore = (env: Record<string, string>, dataDir: string) =>
    runCli({ ...bucket, ...env }, 'backup', 'restore', bucket.BACKUP_TO, ...into, join(folder.path, dataDir))
  const ofObjects = {
    S3_BUCKET: s3.bucket,
    S3_ENDPOINT: s3.url,
    S3_REGION: s3.keys.region,
    S3_FORCE_PATH_STYLE: 'true',
  }
  const keys = { S3_ACCESS_KEY_ID: s3.keys.accessKeyId, S3_SECRET_ACCESS_KEY: s3.keys.secretAccessKey }
  const refused = await restore({ ...ofObjects, ...keys }, 'one')
  expect(refused.stderr).toContain('The object store is not empty')
  expect(await restore({}, 'two')).toMatchObject({ exitCode: 0, stderr: '' })
  await using copy = await openInProcessApi({
    DATABASE_URL: target.url,
    DATA_DIR: join(folder.path, 'two'),
    SECRET: '',
  })
  const read = await copy.app.inject({ url: `/v1/baton/${drop.id}`, headers: owner.headers })
  expect(read.rawPayload.equals(drop.content)).toBe(true)
})

test('a backup that failed is listed, seen in health and metrics, and tried again after a while', async () => {
  await using folder = await freshFolder()
  const place = join(folder.path, 'a-file')
  await writeFile(place, '')
  await using api = await openInProcessApi({ BACKUP_TO: place, BACKUP_KEY })
  const { db, config, meters } = api.context
  const backups = bindBackups(api.context as never)!
  await expect(backups.makeIfDue()).rejects.toThrow()
  expect(await summariseBackups(db)).toEqual({ lastAt: null, failedSince: 1 })
  expect(await backups.makeIfDue()).toBeUndefined()
  const env = { DATABASE_URL: config.databaseUrl!, DATA_DIR: config.dataDir, SECRET: config.secret }
  expect((await runCli(env, 'backup', 'list')).stdout).toMatch(/failed .*cannot be used for backups/)
  const unusable = await runCli({ ...env, BACKUP_TO: place }, 'backup', 'list')
  expect(unusable).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^coinop: .*a-file cannot be used for backups: .*\.$/),
  })
  expect((await api.app.inject('/health')).json()).toMatchObject({
    status: 'degraded',
    checks: { backup: { ok: false } },
  })
  expect(await meters.registry.metrics()).toContain('coinop_backup{figure="failed_since"} 1')
  await rows(db, "update svc.backup set started_at = started_at - interval '16 minutes'")
  await expect(backups.makeIfDue()).rejects.toThrow()
  await runCli(env, 'setting', 'set', 'backup.every_hours', '0')
  await api.context.settings.refresh()
  await rows(db, "update svc.backup set started_at = started_at - interval '16 minutes'")
  expect(await backups.makeIfDue()).toBeUndefined()
})
