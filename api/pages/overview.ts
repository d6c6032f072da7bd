import { readAccount } from '../../sql/account.ts'
import { spendByDay } from '../../sql/job.ts'
import { showKeys } from '../../sql/key.ts'
import { readStatement } from '../../sql/ledger.ts'
import type { ApiContext } from '../context.ts'
import { renderLineTable } from './ledger.ts'
import { renderSpendChart } from './parts/chart.ts'
import { countOf, formatMoney } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderCode, renderDashboardPage, renderNotice } from './parts/layout.ts'
import { definePrivatePage } from './parts/page.ts'

const DAYS = 30

export const overviewPages = [
  definePrivatePage('GET /dashboard', async ({ session, query }, context) => {
    const { accountId } = session.caller
    const [account, days, lines, keys] = await Promise.all([
      readAccount(context.db, accountId),
      spendByDay(context.db, accountId, DAYS),
      readStatement(context.db, { accountId, limit: 6, offset: 0 }),
      showKeys(context.db, accountId),
    ])
    const spent = days.reduce((sum, { micros }) => sum + BigInt(micros), 0n)
    const calls = days.reduce((sum, day) => sum + day.calls, 0)
    const { balanceMicros, heldMicros } = account!
    const content = html`${GREETINGS[query['signed-in'] ?? '']}${BigInt(balanceMicros) < 0n && OVERDRAWN_NOTICE}${calls === 0 && renderFirstSteps(context, { hasMoney: BigInt(balanceMicros) > 0n, hasKey: keys.length > 0 })}
<section class="figures" aria-label="Figures">
<div class="card figure main"><h2>Balance</h2><p class="big">${formatMoney(balanceMicros)}</p><p class="row"><a class="button small" href="/dashboard/billing">Top up</a></p></div>
<div class="card figure"><h2>Held for open jobs</h2><p class="big">${formatMoney(heldMicros)}</p><p class="dim">Charged or released when the jobs end.</p></div>
<div class="card figure"><h2>Spent in ${DAYS} days</h2><p class="big">${formatMoney(spent)}</p><p class="dim">${countOf(calls, 'paid call')}</p></div>
</section>
<section class="card"><h2>Spend by day</h2>${renderSpendChart(days)}</section>
<section class="card flush"><header class="cap"><h2>Latest movements</h2><a href="/dashboard/ledger">Full ledger</a></header>${renderLineTable(lines)}</section>`
    return renderDashboardPage(context, session, { path: '/dashboard', title: 'Overview', content })
  }),
]

const GREETINGS: Record<string, Html> = {
  first: renderNotice('good', 'You are signed in, and your account is ready.'),
  again: renderNotice('good', 'Welcome back.'),
}

const OVERDRAWN_NOTICE = renderNotice(
  'bad',
  'A payment was returned to its payer after you had spent it. Calls are refused until the balance is above zero.',
)

function renderFirstSteps({ config }: ApiContext, { hasMoney, hasKey }: { hasMoney: boolean; hasKey: boolean }): Html {
  const renderStep = (isDone: boolean, text: Html) => html`<li class="${isDone ? 'done' : 'open'}">${text}</li>`
  const call = `curl ${config.publicUrl}/v1/utils/hash \\\n  -H "Authorization: Bearer $KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"text":"hello"}'`
  return html`<section class="card steps"><h2>Three steps to your first call</h2><ol>
${renderStep(hasMoney, html`<a href="/dashboard/billing">Top up your balance</a>`)}
${renderStep(hasKey, html`<a href="/dashboard/keys">Create an API key</a> and save it: <code>export KEY=…</code>`)}
${renderStep(false, html`Make a call`)}</ol>${renderCode(call, 'A first call')}</section>`
}
