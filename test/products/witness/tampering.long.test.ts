import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import type { InProcessApi } from '../../support/stack/in-process-api.ts'
import { LEDGER_TEXTS, openWitnessedLedger } from '../../support/stack/witnessed-ledger.ts'

const COUNT = LEDGER_TEXTS.length

let ledger: Awaited<ReturnType<typeof openWitnessedLedger>>
let api: InProcessApi
let id: string
beforeAll(async () => {
  ledger = await openWitnessedLedger()
  ;({ api, id } = ledger)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

/** The server's verdict; calls come from accounts of their own, because each may ask only so often. */
let asked = 0
let asker: Awaited<ReturnType<typeof openBatonOwner>>
async function verify(mode: 'links' | 'full') {
  if (asked++ % 25 === 0) {
    asker = await openBatonOwner(api)
    await ledger.owner.call('POST', `/v1/baton/${id}/meta`, { acl: { [asker.accountId]: 'reader' } })
  }
  return (await asker.call('POST', `/v1/baton/${id}/trust/verify-chain`, { mode })).json() as {
    valid: boolean
    fault?: { reason: string; seq?: number }
  }
}

test('what was not changed is valid', async () => {
  expect([(await verify('links')).valid, (await verify('full')).valid]).toEqual([true, true])
})

/** Changes of the stored chain, each undone by running the saved rows back in. */
type Change = [name: string, sql: string, mode: 'links' | 'full']
const seqs = fc.integer({ min: 1, max: COUNT })
const flip = (column: string, bit: number) =>
  `${column} = set_bit(${column}, ${bit} % (8 * octet_length(${column})), 1 - get_bit(${column}, ${bit} % (8 * octet_length(${column}))))`
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(seqs, fc.constantFrom('sha256', 'prev', 'hash'), fc.nat(255))
    .map(
      ([seq, column, bit]): Change => [
        `bit ${bit} of ${column} of ${seq}`,
        `update svc.baton_entry set ${flip(column, bit)} where baton_id = $1 and seq = ${seq}`,
        'links',
      ],
    ),
  fc
    .tuple(
      seqs,
      fc.constantFrom(
        "content_type = content_type || ' '",
        "writer = 'token:' || baton_id",
        'size_bytes = size_bytes + 1',
        'start_byte = start_byte + 1',
        "created_at = created_at + interval '1 millisecond'",
        "created_at = created_at - interval '1 microsecond'",
        'hash = null',
        'prev = null',
      ),
    )
    .map(
      ([seq, set]): Change => [
        `${set} of ${seq}`,
        `update svc.baton_entry set ${set} where baton_id = $1 and seq = ${seq}`,
        'links',
      ],
    ),
  fc
    .tuple(fc.constantFrom(1, 2, 4, 6), fc.nat(10_000))
    .map(
      ([seq, bit]): Change => [
        `bit ${bit} of the content of ${seq}`,
        `update svc.baton_entry set ${flip('content', bit)} where baton_id = $1 and seq = ${seq}`,
        'full',
      ],
    ),
  fc
    .tuple(seqs, seqs)
    .filter(([one, other]) => one !== other)
    .map(
      ([one, other]): Change => [
        `${one} and ${other} exchanged`,
        `update svc.baton_entry set seq = -seq where baton_id = $1 and seq in (${one}, ${other});
        update svc.baton_entry set seq = ${one} + ${other} + seq where baton_id = $1 and seq < 0`,
        'links',
      ],
    ),
  seqs.map(
    (seq): Change => [`${seq} left out`, `delete from svc.baton_entry where baton_id = $1 and seq = ${seq}`, 'links'],
  ),
  seqs.map(
    (seq): Change => [
      `${seq} once more at the end`,
      `insert into svc.baton_entry select baton_id, ${COUNT} + 1, start_byte, size_bytes, content, object_key, content_type,
      sha256, writer, prev, hash, created_at from svc.baton_entry where baton_id = $1 and seq = ${seq}`,
      'links',
    ],
  ),
  fc
    .constantFrom(
      'entry_count = entry_count - 1',
      'stored_bytes = stored_bytes - 1',
      "created_at = created_at + interval '1 millisecond'",
      'chain_head = sha256(chain_head)',
    )
    .map((set): Change => [set, `update svc.baton set ${set} where id = $1`, 'links']),
  fc
    .constantFrom(
      // One signature in 64 has the letter already.
      "jws = overlay(jws placing case substr(jws, length(jws) - 10, 1) when 'A' then 'B' else 'A' end from length(jws) - 10 for 1)",
      "jws = 'x'",
      "statement = jsonb_set(statement::jsonb, '{size}', '7')::json",
      "statement = jsonb_set(statement::jsonb, '{witnessed_at}', '\"2020-01-01T00:00:00Z\"')::json",
    )
    .map((set): Change => [set, `update svc.witness set ${set} where baton_id = $1 and jws <> ''`, 'links']),
  fc.constant<Change>(['no record', 'delete from svc.witness where baton_id = $1', 'links']),
)

const TABLES = [
  ['svc.baton_entry', 'baton_id'],
  ['svc.witness', 'baton_id'],
] as const

async function restore(): Promise<void> {
  const { db } = api.context
  for (const [table, key] of TABLES) {
    await rows(db, `delete from ${table} where ${key} = $1`, [id])
    await rows(db, `insert into ${table} overriding system value select * from saved.${table.slice(4)}`)
  }
  await rows(
    db,
    `update svc.baton b set entry_count = s.entry_count, stored_bytes = s.stored_bytes, created_at = s.created_at,
      chain_head = s.chain_head from saved.baton s where b.id = s.id`,
  )
}

test('verify-chain finds any change of any entry, of their order and of the record', async () => {
  const { db } = api.context
  await rows(db, 'create schema saved')
  for (const [table, key] of [...TABLES, ['svc.baton', 'id']] as const) {
    await rows(db, `create table saved.${table.slice(4)} as select * from ${table} where ${key} = '${id}'`)
  }
  await fc.assert(
    fc.asyncProperty(changes, async ([, sql, mode]) => {
      for (const statement of sql.split(';')) await rows(db, statement, [id])
      const { valid, fault } = await verify(mode)
      await restore()
      expect([valid, fault]).toEqual([false, expect.anything()])
    }),
    { numRuns: 120 },
  )
  expect((await verify('full')).valid).toBe(true)
})

test('verify-chain finds a chain that was made anew from its first entry on', async () => {
  const { db } = api.context
  await rows(db, "update svc.baton_entry set content = 'ONE', sha256 = sha256('ONE') where baton_id = $1 and seq = 1", [
    id,
  ])
  for (let seq = 1; seq <= COUNT; seq++) {
    await rows(
      db,
      `update svc.baton_entry e set prev = coalesce((select p.hash from svc.baton_entry p
        where p.baton_id = e.baton_id and p.seq = e.seq - 1), e.prev) where e.baton_id = $1 and e.seq = $2`,
      [id, seq],
    )
    await rows(db, 'update svc.baton_entry e set hash = baton.hash_entry(e) where e.baton_id = $1 and e.seq = $2', [
      id,
      seq,
    ])
  }
  await rows(
    db,
    'update svc.baton set chain_head = (select hash from svc.baton_entry where baton_id = $1 and seq = $2) where id = $1',
    [id, COUNT],
  )
  expect(await verify('full')).toMatchObject({ valid: false, fault: { reason: 'witness' } })
  await restore()
})

test('verify-chain finds stored bytes that are lost or changed', async () => {
  const { db, store } = api.context
  const [stored] = await rows<{ object_key: string }>(
    db,
    'select object_key from svc.baton_entry where baton_id = $1 and object_key is not null',
    [id],
  )
  const bytes = Buffer.from(LEDGER_TEXTS[4]!)
  for (const changed of [bytes.subarray(1), Buffer.concat([bytes.subarray(1), Buffer.from('y')]), undefined]) {
    if (changed) await store.put(stored!.object_key, changed, { contentType: 'text/plain' })
    else await store.remove(stored!.object_key)
    expect(await verify('full')).toMatchObject({ valid: false, fault: { reason: 'content', seq: 5 } })
    expect((await verify('links')).valid).toBe(true)
  }
  await store.put(stored!.object_key, bytes, { contentType: 'text/plain' })
  expect((await verify('full')).valid).toBe(true)
})
