import {
  listAlarms,
  removeAlarm,
  SPEND_PERIODS,
  type SpendAlarm,
  type SpendPeriod,
  setAlarm,
} from '../../../../sql/spending/alarms.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { type Draft, keepTyped, LIMIT_FAULT, NO_DRAFT, renderField } from '../../../pages/parts/field.ts'
import { formatMoney } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { parseCap } from '../../../routes/account/schema.ts'

const PATH = '/dashboard/spend-alarms'
const SAVED = renderNotice('good', 'Saved. You are told within a minute after an amount is reached, once a period.')

export default [
  definePrivatePage(`GET ${PATH}`, ({ session, query }, context) =>
    renderPage(context, session, { notice: query.done === undefined ? undefined : SAVED, draft: NO_DRAFT }),
  ),
  definePrivatePage(`POST ${PATH}`, async ({ session, form, reply }, context) => {
    const limits: [SpendPeriod, bigint | null][] = []
    const faults: Record<string, string> = {}
    for (const period of SPEND_PERIODS) {
      try {
        limits.push([period, parseCap(form.get(period))])
      } catch {
        faults[period] = LIMIT_FAULT
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

async function save({ db }: ApiContext, accountId: string, limits: [SpendPeriod, bigint | null][]): Promise<void> {
  const known = await listAlarms(db, accountId)
  for (const [period, limit] of limits) {
    if (limit !== null) await setAlarm(db, accountId, period, limit)
    else if (known.some(alarm => alarm.period === period)) await removeAlarm(db, accountId, period)
  }
}

async function renderPage(
  context: ApiContext,
  session: Session,
  { notice, draft }: { notice?: Html | undefined; draft: Draft },
): Promise<Html> {
  const alarms = await listAlarms(context.db, session.caller.accountId)
  const fields = SPEND_PERIODS.map(period => {
    const alarm = alarms.find(found => found.period === period)
    const value = alarm ? formatMoney(alarm.limitMicros).slice(1).replaceAll(',', '') : ''
    const attributes = html`inputmode="decimal" autocomplete="off" placeholder="not told"`
    const field = {
      id: `alarm-${period}`,
      name: period,
      label: `Tell me above, USD in one ${period}`,
      value,
      attributes,
    }
    return html`${renderField(field, draft)}${alarm && describe(alarm)}`
  })
  const form = html`<section class="card stack"><form method="post" action="${PATH}" class="limits">${renderCsrfField(context, session)}${fields}<button class="button small" type="submit">Save</button></form></section>`
  const lead =
    'You get a mail and the event account.spend_alarm when calls have cost this much. Calls go on; a limit that stops them is that of a key.'
  return renderDashboardPage(context, session, {
    path: PATH,
    title: 'Spend alarms',
    lead,
    content: html`${notice}${form}`,
  })
}

function describe({ period, spentMicros, isReached }: SpendAlarm): Html {
  return html`<p class="dim">${formatMoney(spentMicros)} spent in this ${period} (UTC)${isReached && ', of which you were told'}.</p>`
}
