import { JSON_HEADERS } from '../../calls.ts'
import { runStatement } from '../../environment.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack, type Stack } from '../../stack.ts'

const ENTRIES = 100_000
const GOAL_PER_SECOND = 100_000

export default {
  id: 'P34',
  title: 'verify-chain on a chain of 100,000 entries, in entries per second',
  async measure(bench) {
    await using stack = await openStack(bench.environment, {
      accounts: 1,
      settings: { 'rate.verify_chain_per_minute': 1_000_000 },
    })
    const id = await createLedger(stack)
    bench.log(`chaining ${ENTRIES} entries`)
    await chainEntries(stack, id)
    return [await measureMode(bench, stack, id, 'links'), await measureMode(bench, stack, id, 'full')]
  },
} satisfies Figure

async function measureMode({ profile }: Bench, stack: Stack, id: string, mode: string): Promise<Reading> {
  const seconds: number[] = []
  for (let round = 0; round <= profile.rounds; round++) {
    const startedMs = performance.now()
    const { valid, entries } = (await post(stack, `/v1/baton/${id}/trust/verify-chain`, { mode })) as Verdict
    seconds.push((performance.now() - startedMs) / 1_000)
    if (!valid || entries !== ENTRIES) throw new Error(`the chain of ${entries} entries is not valid`)
  }
  const ours = ENTRIES / median(seconds.slice(1))
  return {
    label: mode,
    unit: 'entries/s',
    ours,
    floor: GOAL_PER_SECOND,
    goal: { atLeast: 1 },
    judgedBy: 'ratio',
    limitedBy: 'one core of Postgres, which writes and hashes the header of each entry; the floor is the goal',
    facts: { seconds },
  }
}

interface Verdict {
  valid: boolean
  entries: number
}

async function createLedger(stack: Stack): Promise<string> {
  const customShape = {
    sizeBytes: 100 * ENTRIES,
    durationSeconds: 86_400,
    maxEgressBytes: 1,
    writesAllowed: ENTRIES,
  }
  const { id } = (await post(stack, '/v1/baton', { preset: 'ledger', customShape })) as { id: string }
  return id
}

/** Writes the entries as `baton.put_entry` would, but the row of the baton once: its versions would pile up. */
async function chainEntries({ databaseUrl }: Stack, id: string): Promise<void> {
  await runStatement(databaseUrl, FILL_SQL)
  await runStatement(databaseUrl, 'select bench_fill($1, $2)', [id, ENTRIES])
  await runStatement(databaseUrl, 'vacuum analyze')
}

const FILL_SQL = `create function bench_fill(_id uuid, _count integer) returns void language plpgsql as $$
declare
  _entry svc.baton_entry;
begin
  select id, 0, chain_head into _entry.baton_id, _entry.start_byte, _entry.hash from svc.baton where id = _id;
  for _n in 1 .. _count loop
    _entry.seq := _n;
    _entry.start_byte := _entry.start_byte + coalesce(_entry.size_bytes, 0);
    _entry.content := convert_to(format('entry %s of a chain that is measured, as long as a line of a log', _n), 'UTF8');
    _entry.size_bytes := octet_length(_entry.content);
    _entry.content_type := 'text/plain; charset=utf-8';
    _entry.sha256 := sha256(_entry.content);
    _entry.writer := 'owner';
    _entry.created_at := date_trunc('milliseconds', clock_timestamp());
    _entry.prev := _entry.hash;
    _entry.hash := baton.hash_entry(_entry);
    insert into svc.baton_entry select _entry.*;
  end loop;
  update svc.baton set entry_count = _count, stored_bytes = _entry.start_byte + _entry.size_bytes, chain_head = _entry.hash
    where id = _id;
end $$`

async function post({ baseUrl, keys }: Stack, path: string, body: object): Promise<unknown> {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${keys[0]}` }
  const answer = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
