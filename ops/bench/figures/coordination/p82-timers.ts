import { rows } from '../../../../sql/db.ts'
import { pollUntil } from '../../../back-off.ts'
import type { Figure } from '../../figure.ts'
import { openStack, type Stack } from '../../stack.ts'

const TIMERS = 5_000
const LEAD_SECONDS = 4
const WITHIN_MS = 120_000

/** All asks expire in the same moment, each with an event for a webhook; the floor ends as many rows in one statement. */
export default {
  id: 'P82',
  title: '5,000 asks that expire in the same moment, until the last has ended and its event is queued',
  async measure({ environment }) {
    await using stack = await openStack(environment, { workers: 1, accounts: 1 })
    await openAsks(stack)
    const ours = await measureEnd(stack)
    return [
      {
        label: 'until all have ended',
        unit: 's',
        ours,
        floor: await measureFloor(stack),
        goal: { atMost: 10 },
        judgedBy: 'ours',
        limitedBy: 'the change, the audit entry and the event of each ask',
      },
    ]
  },
} satisfies Figure

async function openAsks({ db, accounts }: Stack): Promise<void> {
  await rows(
    db,
    `insert into svc.webhook_endpoint (id, account_id, url, events, secret)
       values (gen_random_uuid(), $1, 'https://agent.example/', '{bridge.ask.replied}', 'none')`,
    [accounts[0]],
  )
  await rows(
    db,
    `insert into svc.ask (id, account_id, job_id, thread_id, kind, urgency, question, allows_comment, allows_edit, needed, voters,
        denial_ends, expires_at)
      select gen_random_uuid(), $1, gen_random_uuid(), 'bench', 'approval', 'normal', 'May I?', true, false, 1, 1, true,
        now() + make_interval(secs => $2) from generate_series(1, $3)`,
    [accounts[0], LEAD_SECONDS, TIMERS],
  )
  await rows(db, 'select ask.queue_timer(a) from svc.ask a')
}

/** Returns the seconds from the moment in which they expire. */
async function measureEnd({ db }: Stack): Promise<number> {
  const findEnd = async () => {
    const [found] = await rows<{ open: bigint; seconds: number }>(
      db,
      `select count(*) filter (where ended_at is null) as open,
         extract(epoch from max(ended_at) - min(expires_at))::float8 as seconds from svc.ask`,
    )
    return found!.open === 0n ? found!.seconds : undefined
  }
  const seconds = await pollUntil(findEnd, { withinMs: WITHIN_MS, everyMs: 200 })
  if (seconds === undefined) throw new Error(`the asks have not ended within ${WITHIN_MS / 1_000} s`)
  const [events] = await rows<{ sent: bigint }>(
    db,
    "select count(distinct subject_id) as sent from svc.webhook_delivery where event = 'bridge.ask.replied'",
  )
  if (events!.sent !== BigInt(TIMERS)) throw new Error(`${events!.sent} of ${TIMERS} events were queued`)
  return seconds
}

async function measureFloor({ db }: Stack): Promise<number> {
  await rows(db, 'create table public.bare_timer as select id, ended_at, false as is_over from svc.ask')
  const startedAt = performance.now()
  await rows(db, 'update public.bare_timer set ended_at = clock_timestamp(), is_over = true')
  return (performance.now() - startedAt) / 1_000
}
