import pg from 'pg'
import { expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'

test('of uses that share a statement, those refused undo nothing of the others', async () => {
  await using api = await openInProcessApi()
  const owner = await openBatonOwner(api)
  const shape = { sizeBytes: 100, durationSeconds: 3_600, maxEgressBytes: 1_000, writesAllowed: 9, readsAllowed: 3 }
  const { id } = await owner.create({ preset: 'scratchpad', customShape: shape, content: 'x' })
  const [writes, reads] = await Promise.all([
    Promise.all(
      Array.from({ length: 12 }, (_, n) => owner.call('POST', `/v1/baton/${id}`, { content: String(n % 10) })),
    ),
    Promise.all(Array.from({ length: 6 }, () => owner.call('GET', `/v1/baton/${id}?entry=1`))),
  ])
  const codes = (answers: { statusCode: number; json(): { code: string } }[], done: number) =>
    answers.filter(({ statusCode }) => statusCode !== done).map(answer => answer.json().code)
  expect(codes(writes, 201)).toEqual(Array(3).fill('QUOTA_EXHAUSTED'))
  expect(codes(reads, 200)).toEqual(Array(3).fill('QUOTA_EXHAUSTED'))
  const [found] = await rows(
    api.context.db,
    'select reads_used, writes_used, entry_count from svc.baton where id = $1',
    [id],
  )
  expect(found).toEqual({ reads_used: 3n, writes_used: 9n, entry_count: 10n })
  expect(await checkInvariants(api.context.db)).toEqual([])
})

test('a use of a baton that is locked for long waits alone', async () => {
  await using api = await openInProcessApi()
  const owner = await openBatonOwner(api)
  const [{ id: locked }, { id: free }] = [
    await owner.create({ preset: 'scratchpad', tier: 'femto', content: 'a' }),
    await owner.create({ preset: 'scratchpad', tier: 'femto', content: 'b' }),
  ]
  const holder = new pg.Client({ connectionString: api.context.db.url })
  await holder.connect()
  await holder.query(`begin; select from svc.baton where id = '${locked}' for update`)
  let isOver = false
  const waiting = Promise.all([
    owner.call('GET', `/v1/baton/${locked}?entry=1`),
    owner.call('POST', `/v1/baton/${locked}`, { content: 'c' }),
  ]).finally(() => {
    isOver = true
  })
  const [read, write] = await Promise.all([
    owner.call('GET', `/v1/baton/${free}?entry=1`),
    owner.call('POST', `/v1/baton/${free}`, { content: 'd' }),
  ])
  expect([read.body, write.statusCode, isOver]).toEqual(['b', 201, false])
  await holder.query('commit')
  await holder.end()
  const [late, appended] = await waiting
  expect([late.body, appended.statusCode]).toEqual(['a', 201])
})
