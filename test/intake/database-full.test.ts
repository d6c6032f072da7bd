import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { openBatonOwner } from '../support/stack/baton-owner.ts'
import { openInProcessApi } from '../support/stack/in-process-api.ts'

const FAILING = `create or replace function svc.fail_of_full_disk() returns trigger language plpgsql as $$
  begin raise exception 'could not extend file' using errcode = '53100'; end $$`

test('while the disk of the database is full, calls are refused for nothing, and work again when there is room', async () => {
  await using api = await openInProcessApi()
  const { db } = api.context
  const owner = await openBatonOwner(api)
  const hash = () => owner.call('POST', '/v1/utils/hash', { text: 'a' })
  const before = await owner.money()
  await rows(db, FAILING)
  await rows(
    db,
    `create trigger fail_of_full_disk before insert on svc.job for each row
      when (new.account_id = '${owner.accountId}') execute function svc.fail_of_full_disk()`,
  )
  try {
    for (const answer of [await hash(), await owner.call('POST', '/v1/baton', { preset: 'pass', tier: 'femto' })]) {
      expect([answer.statusCode, answer.json().code]).toEqual([507, 'STORAGE_FULL'])
      expect(answer.headers['retry-after']).toBe('30')
    }
    expect((await owner.call('GET', '/v1/account')).statusCode).toBe(200)
    expect(await owner.money()).toEqual(before)
  } finally {
    await rows(db, 'drop trigger fail_of_full_disk on svc.job')
    await rows(db, 'drop function svc.fail_of_full_disk()')
  }
  expect((await hash()).statusCode).toBe(200)
})
