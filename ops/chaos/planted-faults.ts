import { rows } from '../../sql/db.ts'
import type { Installation } from './installation.ts'

/** Breaks one promise behind the back of the service, to show that a run sees it. */
export interface PlantedFault {
  plant(service: Installation): Promise<void>
}

const STATEMENTS = {
  'lost-append': `delete from svc.baton_entry e using (select baton_id, max(seq) as seq from svc.baton_entry
    group by baton_id having count(*) > 1 order by baton_id limit 1) l where e.baton_id = l.baton_id and e.seq = l.seq`,
  'lost-addition': 'update svc.coordination_counter set value = value - 1',
  'lost-message': `delete from svc.channel_message where (channel_id, seq) in
    (select channel_id, seq from svc.channel_message order by seq desc limit 1)`,
  'second-claim': 'update svc.handoff set claims = claims - 1 where claims = max_claims',
  'double-charge': `update svc.account set balance_micros = balance_micros - 1000 where id =
    (select account_id from svc.job where service_key = 'utils.hash' limit 1)`,
} as const

export const FAULT_NAMES = Object.keys(STATEMENTS) as (keyof typeof STATEMENTS)[]

export function findFault(name: string): PlantedFault | undefined {
  const statement = Object.entries(STATEMENTS).find(([known]) => known === name)?.[1]
  if (statement === undefined) return undefined
  return { plant: async ({ db }) => void (await rows(db, statement)) }
}
