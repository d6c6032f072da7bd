import { expect, test } from 'vitest'
import { newId } from '#kit'
import { rows, value } from '../../../sql/db.ts'
import { joinWorkers } from '../../../sql/worker.ts'
import { openTestLedger } from '../../support/database/ledger.ts'

test('after the database was away, the first worker that is heard of takes no other for dead, and the next time it does', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const [first, other, dead] = [newId(), newId(), newId()]
  for (const id of [first, other, dead])
    await joinWorkers(db, { id, host: 'host', pid: 1, pools: [], lanes: {}, tools: [] })
  await rows(db, "update svc.worker set beat_at = now() - interval '20 seconds'")
  const beat = (id: string) => value(db, 'select worker.beat($1, 15, $2, false)', [id, []])
  expect(await beat(first)).toMatchObject({ rescued: [], known: true })
  expect(await beat(other)).toMatchObject({ rescued: [], known: true })
  expect(await beat(first)).toMatchObject({ rescued: [dead], known: true })
})
