import { rows } from '../../../sql/db.ts'
import { disturbance } from '../disturbance.ts'

const FIND = `select pid from pg_stat_activity where datname = current_database()
  and application_name like 'coinop%' and application_name <> 'coinop chaos' order by backend_start, pid`
const CUT = 'select pid from unnest($1::int[]) pid where pg_terminate_backend(pid)'

export default disturbance({
  weight: 4,
  async disturb({ db }, random) {
    const part = random.pick([0.1, 0.5, 1])
    const found = await rows<{ pid: number }>(db, FIND).catch(() => [])
    const pids = found.filter(() => random.isChance(part)).map(({ pid }) => pid)
    const cut = await rows(db, CUT, [pids]).catch(() => [])
    if (cut.length === 0) return undefined
    return { text: `cut ${cut.length} of ${found.length} connections to Postgres`, cuts: cut.length }
  },
})
