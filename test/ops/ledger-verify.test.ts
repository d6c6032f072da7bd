import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#kit'
import { rows } from '../../sql/db.ts'
import { type InProcessApi, openInProcessApi } from '../support/stack/in-process-api.ts'
import { runCli } from '../support/stack/run-cli.ts'
import { makeTraffic, type Traffic } from '../support/stack/varied-traffic.ts'

let api: InProcessApi
let traffic: Traffic
const subject = newId()
beforeAll(async () => {
  api = await openInProcessApi()
  traffic = await makeTraffic(api)
  for (const action of ['made', 'changed', 'ended'])
    await change('select audit.append($1, $2, $3, $4, $5, $6)', ['test', subject, newId(), 'owner', action, '{}'])
})
afterAll(() => api[Symbol.asyncDispose]())

const change = (text: string, values: unknown[] = []) => rows(api.context.db, text, values)
const verify = async (...flags: string[]) => {
  const { databaseUrl, dataDir, secret } = api.context.config
  const env = { DATABASE_URL: databaseUrl!, DATA_DIR: dataDir, SECRET: secret }
  const { exitCode, stdout } = await runCli(env, 'ledger', 'verify', ...flags, '--json')
  return { exitCode, found: JSON.parse(stdout) }
}
const objectOf = async (baton: string) => {
  const [row] = await change('select object_key from svc.baton_entry where baton_id = $1', [baton])
  return api.context.store.localPath!((row as { object_key: string }).object_key)
}

test('a whole installation is found to be so, and what was counted is remembered', async () => {
  expect(await verify()).toMatchObject({ exitCode: 0, found: { counts: { objects: 2, witnesses: 1, logEntries: 3 } } })
  const last = await verify('--last')
  expect(last).toMatchObject({ exitCode: 0, found: { faultCount: 0, counts: { objects: 2, hashedObjects: 2 } } })
  expect(await api.context.meters.registry.metrics()).toMatch(/coinop_books\{figure="last_at"\} [1-9]/)
})

test('a file that may still be uploaded for a baton is not missing', async () => {
  const waiting = await traffic.owner.create({ preset: 'drop', tier: 'nano', requestPresignedUpload: true })
  expect(waiting.upload).toMatchObject({ fields: { key: expect.any(String) } })
  expect(await verify()).toMatchObject({ exitCode: 0, found: { faults: [] } })
})

/** Each is planted, found, and taken back. */
const FAULTS: [rule: string, plant: () => Promise<() => unknown>][] = [
  [
    'every object is stored as it was written',
    async () => {
      const path = await objectOf(traffic.drop.id)
      const { content } = traffic.drop
      chmodSync(path, 0o600)
      const changed = Buffer.from(content)
      changed[1_000]! ^= 1
      writeFileSync(path, changed)
      return () => writeFileSync(path, content)
    },
  ],
  [
    'every object is stored as it was written',
    async () => {
      const path = await objectOf(traffic.drop.id)
      rmSync(path)
      return () => writeFileSync(path, traffic.drop.content)
    },
  ],
  [
    'every witness verifies',
    async () => {
      const [{ jws }] = (await change('select jws from svc.witness')) as [{ jws: string }]
      const changed = jws.replace(/.$/, last => (last === 'A' ? 'Q' : 'A'))
      await change('update svc.witness set jws = $1', [changed])
      return () => change('update svc.witness set jws = $1', [jws])
    },
  ],
  [
    'every witness verifies',
    async () => {
      await change("update svc.baton_entry set content = 'two!' where baton_id = $1 and seq = 2", [traffic.ledger.id])
      return () =>
        change("update svc.baton_entry set content = 'two' where baton_id = $1 and seq = 2", [traffic.ledger.id])
    },
  ],
  [
    'every entry of a log is as it was written',
    async () => {
      const write = async (action: string) => {
        await change('alter table svc.audit_entry disable trigger user')
        await change('update svc.audit_entry set action = $1 where subject_id = $2 and seq = 2', [action, subject])
        await change('alter table svc.audit_entry enable trigger user')
      }
      await write('deleted')
      return () => write('changed')
    },
  ],
  [
    'a balance is the sum of its entries',
    async () => {
      await change('update svc.account set balance_micros = balance_micros + 1 where id = $1', [
        traffic.owner.accountId,
      ])
      return () =>
        change('update svc.account set balance_micros = balance_micros - 1 where id = $1', [traffic.owner.accountId])
    },
  ],
]

test.each(FAULTS)('%# what is wrong is named: %s', async (rule, plant) => {
  const takeBack = await plant()
  const { exitCode, found } = await verify()
  await takeBack()
  expect([exitCode, found.faults.map((fault: { rule: string }) => fault.rule)]).toEqual([1, [rule]])
  expect((await verify('--last')).exitCode).toBe(1)
})
