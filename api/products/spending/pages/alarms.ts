import { listAlarms, removeAlarm, SPEND_PERIODS, type SpendAlarm, setAlarm } from '../../../../sql/spending/alarms.ts'
import { findBalanceAlarm, removeBalanceAlarm, setBalanceAlarm } from '../../../../sql/spending/balance.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { type Draft, keepTyped, LIMIT_FAULT, NO_DRAFT, renderField } from '../../../pages/parts/field.ts'
import { formatMoney } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { parseCap } from '../../../routes/account/schema.ts'

const PATH = '/dashboard/spend-alarms'
const SAVED = renderNotice(
  'good',
  'Saved. You are told within a minute after an amount is reached, once a period, or once until the balance is as high again.',
)

export default [
  definePrivatePage(`GET ${PATH}`, ({ session, query }, context) =>
    renderPage(context, session, { notice: query.done === undefined ? undefined : SAVED, draft: NO_DRAFT }),
  ),
  definePrivatePage(`POST ${PATH}`, async ({ session, form, reply }, context) => {
    const limits = new Map<string, bigint | null>()
    const faults: Record<string, string> = {}
    for (const name of [...SPEND_PERIODS, 'balance']) {
      try {
        limits.set(name, parseCap(form.get(name)))
      } catch {
        faults[name] = LIMIT_FAULT
      }
    }
    if (Object.keys(faults).length > 0) {
      reply.code(400)
      return renderPage(context, session, { draft: keepTyped(form, faults) })
    }
    await save(context, session.caller.accountId, limits)
    return { redirectTo: `${PATH}?done=saved` }
  }),
]

async function save({ db }: ApiContext, accountId: string, limits: ReadonlyMap<string, bigint | null>): Promise<void> {
  const known = await listAlarms(db, accountId)
  for (const period of SPEND_PERIODS) {
    const limit = limits.get(period) ?? null
    if (limit !== null) await setAlarm(db, accountId, period, limit)
    else if (known.some(alarm => alarm.period === period)) await removeAlarm(db, accountId, period)
  }
  const least = limits.get('balance') ?? null
  if (least !== null) await setBalanceAlarm(db, accountId, least)
  else if (await findBalanceAlarm(db, accountId)) await removeBalanceAlarm(db, accountId)
}

async function renderPage(
  context: ApiContext,
  session: Session,
  { notice, draft }: { notice?: Html | undefined; draft: Draft },
): Promise<Html> {
  const { accountId } = session.caller
  const [alarms, balance] = await Promise.all([
    listAlarms(context.db, accountId),
    findBalanceAlarm(context.db, accountId),
  ])
  const fields = SPEND_PERIODS.map(period => {
    const alarm = alarms.find(found => found.period === period)
    return html`${renderAmount({ name: period, label: `Tell me above, USD in one ${period}`, micros: alarm?.limitMicros }, draft)}${alarm && describe(alarm)}`
  })
  const low = html`${renderAmount({ name: 'balance', label: 'Tell me when the balance is below, USD', micros: balance?.limitMicros }, draft)}${balance && html`<p class="dim">${formatMoney(balance.balanceMicros)} left${balance.isReached && ', of which you were told'}.</p>`}`
  const form = html`<section class="card stack"><form method="post" action="${PATH}" class="limits">${renderCsrfField(context, session)}${fields}${low}<button class="button small" type="submit">Save</button></form></section>`
  const lead =
    'You get a mail and an event, account.spend_alarm when calls have cost this much and account.balance_low when less is left. Calls go on; a limit that stops them is that of a key.'
  return renderDashboardPage(context, session, {
    path: PATH,
    title: 'Spend alarms',
    lead,
    content: html`${notice}${form}`,
  })
}

/** A field for an amount of money, which is empty where none is set. */
function renderAmount(
  { name, label, micros }: { name: string; label: string; micros?: string | undefined },
  draft: Draft,
) {
  const value = micros === undefined ? '' : formatMoney(micros).slice(1).replaceAll(',', '')
  const attributes = html`inputmode="decimal" autocomplete="off" placeholder="no alarm"`
  return renderField({ id: `alarm-${name}`, name, label, value, attributes }, draft)
}

function describe({ period, spentMicros, isReached }: SpendAlarm): Html {
  return html`<p class="dim">${formatMoney(spentMicros)} spent in this ${period} (UTC)${isReached && ', of which you were told'}.</p>`
}
