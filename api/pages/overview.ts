import { readAccount } from '../../sql/account.ts'
import { spendByDay } from '../../sql/job.ts'
import { showKeys } from '../../sql/key.ts'
import { readStatement } from '../../sql/ledger.ts'
import type { Floor } from '../floor.ts'
import { spendChart } from './chart.ts'
import { type Html, html } from './html.ts'
import { code, dashboardPage, note } from './layout.ts'
import { lineTable } from './ledger.ts'
import { privatePage } from './page.ts'
import { money } from './words.ts'

const DAYS = 30

export const overviewPages = [
  privatePage('GET /dashboard', async ({ session }, floor) => {
    const { accountId } = session.caller
    const [account, days, lines, keys] = await Promise.all([
      readAccount(floor.db, accountId),
      spendByDay(floor.db, accountId, DAYS),
      readStatement(floor.db, { accountId, limit: 6, offset: 0 }),
      showKeys(floor.db, accountId),
    ])
    const spent = days.reduce((sum, { micros }) => sum + BigInt(micros), 0n)
    const calls = days.reduce((sum, day) => sum + day.calls, 0)
    const { balanceMicros, heldMicros } = account!
    const content = html`${BigInt(balanceMicros) < 0n && OWING}${calls === 0 && firstSteps(floor, { hasMoney: BigInt(balanceMicros) > 0n, hasKey: keys.length > 0 })}
<section class="figures" aria-label="Figures">
<div class="card figure main"><h2>Balance</h2><p class="big">${money(balanceMicros)}</p><p class="row"><a class="button small" href="/dashboard/billing">Top up</a></p></div>
<div class="card figure"><h2>Held for open jobs</h2><p class="big">${money(heldMicros)}</p><p class="dim">Charged or released when they end.</p></div>
<div class="card figure"><h2>Spent in ${DAYS} days</h2><p class="big">${money(spent)}</p><p class="dim">${calls === 1 ? '1 paid call' : `${calls} paid calls`}</p></div>
</section>
<section class="card"><h2>Spend by day</h2>${spendChart(days)}</section>
<section class="card flush"><header class="cap"><h2>Latest movements</h2><a href="/dashboard/ledger">Whole ledger</a></header>${lineTable(lines)}</section>`
    return dashboardPage(floor, session, { place: '/dashboard', title: 'Overview', content })
  }),
]

const OWING = note(
  'bad',
  'A payment went back to its payer after it was spent. Calls are refused until the balance is above zero again.',
)

function firstSteps({ config }: Floor, { hasMoney, hasKey }: { hasMoney: boolean; hasKey: boolean }): Html {
  const step = (isDone: boolean, text: Html) => html`<li class="${isDone ? 'done' : 'open'}">${text}</li>`
  const call = `curl ${config.publicUrl}/v1/utils/hash \\\n  -H "Authorization: Bearer $KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"text":"hello"}'`
  return html`<section class="card steps"><h2>Three steps to your first call</h2><ol>
${step(hasMoney, html`<a href="/dashboard/billing">Top up your balance</a>`)}
${step(hasKey, html`<a href="/dashboard/keys">Create an API key</a> and keep it: <code>export KEY=…</code>`)}
${step(false, html`Call something`)}</ol>${code(call, 'A first call')}</section>`
}
