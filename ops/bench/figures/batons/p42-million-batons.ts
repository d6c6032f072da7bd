import { compareWithFloor } from '../../compare.ts'
import { type Cost, formatCost } from '../../cost.ts'
import { runStatement } from '../../environment.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { openStack, type Stack } from '../../stack.ts'
import { targetService } from '../../targets.ts'
import { buildCreate, buildRead, openLogs } from './prepare.ts'

const BATONS = 1_000_000
const CLIENTS = 16

export default {
  id: 'P42',
  title: 'processor time of create and read with a million batons in the table, over an empty one',
  async measure(bench) {
    await using full = await openStack(bench.environment, { workers: 0 })
    await using empty = await openStack(bench.environment, { workers: 0 })
    const count = BATONS * bench.profile.bulk
    await addBatons(full, count)
    const [fullLogs, emptyLogs] = [await openLogs(full), await openLogs(empty)]
    const of = (call: (stack: Stack, logs: string[]) => Call) => ({
      ours: targetService(bench.environment, full, call(full, fullLogs)),
      floor: targetService(bench.environment, empty, call(empty, emptyLogs)),
    })
    return [
      await compare(bench, `create beside ${count}`, of(buildCreate)),
      await compare(bench, `read beside ${count}`, of(buildRead)),
    ]
  },
} satisfies Figure

async function compare(bench: Bench, label: string, targets: Parameters<typeof compareWithFloor>[1]): Promise<Reading> {
  const { ours, floor } = await compareWithFloor(bench, targets, CLIENTS)
  return {
    label,
    unit: 'ms of CPU per call',
    ours: sumTime(ours.cost),
    floor: sumTime(floor.cost),
    goal: { atMost: 1.1 },
    judgedBy: 'ratio',
    limitedBy: `${formatCost(ours.cost)}; empty: ${formatCost(floor.cost)}`,
    facts: { ours, floor },
  }
}

/** Of the api and Postgres. */
function sumTime({ msPerCall: { api, Postgres } }: Cost): number {
  return api! + Postgres!
}

/** Batons with an entry and a token each, of a thousand accounts, that end at different times. */
async function addBatons({ databaseUrl, accounts }: Stack, count: number): Promise<void> {
  const ids = `select uuidv7_at(n) as id, n from generate_series(1, ${count}) n`
  await runStatement(
    databaseUrl,
    `create function pg_temp.uuidv7_at(n integer) returns uuid language sql immutable as $$
       select (lpad(to_hex(1700000000000 + n), 12, '0') || '7000' || '8' || substr(md5(n::text), 1, 15))::uuid $$;
     create temporary table made as ${ids.replace('uuidv7_at', 'pg_temp.uuidv7_at')};
     insert into svc.baton (id, account_id, job_id, preset, tier, behaviour, size_bytes, egress_bytes, max_writes, max_reads,
         stored_bytes, entry_count, content_type, on_expiration, quote, created_at, expires_at, purge_at)
       select id, case when n % 1000 = 0 then '${accounts[0]}'::uuid else md5((n % 1000)::text)::uuid end, id, 'scratchpad',
         'femto', 'append', 65536, 1048576, 100, 1000, 1024, 1, 'text/plain', 'hard_delete', '{}', now() - interval '2 days',
         now() + n * interval '1 second', now() + interval '1 day' + n * interval '1 second' from made;
     insert into svc.baton_entry (baton_id, seq, start_byte, size_bytes, content, content_type, sha256, writer, created_at)
       select id, 1, 0, 1024, convert_to(repeat('x', 1024), 'utf8'), 'text/plain', '', 'owner', now() from made;
     insert into svc.baton_token (hash, id, baton_id, type) select sha256(id::text::bytea), id, id, 'read' from made;
     insert into svc.baton_log (baton_id, type, writer) select id, 'created', 'owner' from made;
     analyze svc.baton, svc.baton_entry, svc.baton_token, svc.baton_log`,
  )
}
