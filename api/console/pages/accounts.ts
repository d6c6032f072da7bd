import { isUuid, Problem } from '#kit'
import { VIEW_TOKENS } from '../../../ops/providers/sign-in/link.ts'
import {
  type AdminAccount,
  type AdminKey,
  creditByOperator,
  findAccount,
  limitKeyByOperator,
  listAccountKeys,
  revokeKeyByOperator,
  searchAccounts,
  shareLanesByOperator,
  suspendByOperator,
  viewAccount,
} from '../../../sql/admin/accounts.ts'
import { searchJobs } from '../../../sql/admin/jobs.ts'
import { readStatement } from '../../../sql/ledger.ts'
import { renderSelect } from '../../pages/parts/field.ts'
import { formatMoney, readOffset, renderPager, renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { type ConsoleRequest, defineConsolePage, hasRole } from '../page.ts'
import { readAmount, readReason } from '../parts/form.ts'
import { renderJobTable } from '../parts/jobs.ts'
import { renderAct, renderConsolePage, renderTable } from '../parts/layout.ts'

const PAGE = 50

export const accountPages = [
  defineConsolePage('GET /accounts', 'read', async ({ session, query, db }) => {
    const [text, offset] = [(query.q ?? '').trim(), readOffset(query)]
    const found = await searchAccounts(db, text, { first: PAGE + 1, offset })
    const content = html`<form action="/accounts" class="limits"><div class="field"><label for="q">Name, mail, wallet, key, or id of an account or a job</label><input id="q" name="q" value="${text}" maxlength="200"></div><button class="button small" type="submit">Search</button></form>
<section class="card flush">${renderTable(['Account', 'Balance', 'Held', 'Created', 'State'], found.slice(0, PAGE).map(renderLine), 'No account fits.')}</section>
${renderPager('/accounts', text ? { q: text } : {}, { offset, size: PAGE, hasMore: found.length > PAGE })}`
    return renderConsolePage(session, { path: '/accounts', title: 'Accounts', content })
  }),

  defineConsolePage('GET /accounts/{id}', 'read', async ({ session, params, db }, context) => {
    const account = await requireAccount(db, params.id!)
    const [keys, jobs, lines] = await Promise.all([
      listAccountKeys(db, account.id),
      searchJobs(db, { account: account.id }, { first: 10, offset: 0 }),
      readStatement(context.db, { accountId: account.id, limit: 10, offset: 0 }),
    ])
    const content = html`<section class="card"><dl class="facts">${renderFacts(account)}</dl></section>
${renderActs(session, account)}
<section class="card flush"><header class="cap"><h2>Keys</h2></header>${renderKeys(session, account, keys)}</section>
<section class="card flush"><header class="cap"><h2>Latest jobs</h2><a href="/jobs?account=${account.id}">All jobs</a></header>${renderJobTable(jobs)}</section>
<section class="card flush"><header class="cap"><h2>Latest movements</h2></header>${renderTable(
      ['When', 'Type', 'Amount', 'For', 'Status'],
      lines.map(
        line =>
          html`<tr><td class="when">${renderTime(line.createdAt)}</td><td>${line.type}</td><td class="num">${line.direction === 'debit' ? '−' : ''}${formatMoney(line.amountMicros)}</td><td>${line.serviceKey}</td><td>${line.status}</td></tr>`,
      ),
      'No money has moved.',
    )}</section>`
    return renderConsolePage(session, {
      path: '/accounts',
      title: account.name ?? 'Account',
      lead: account.id,
      content,
    })
  }),

  defineConsolePage('POST /accounts/{id}/credit', 'full', async ({ params, form, db }) => {
    await creditByOperator(db, requireId(params.id!), {
      amountMicros: readAmount(form, 'amount'),
      reason: readReason(form),
      reference: form.get('reference'),
    })
    return { redirectTo: `/accounts/${params.id}` }
  }),
  defineConsolePage('POST /accounts/{id}/suspend', 'support', page => suspend(page, true)),
  defineConsolePage('POST /accounts/{id}/resume', 'support', page => suspend(page, false)),
  defineConsolePage('POST /accounts/{id}/lanes', 'support', async ({ params, form, db }) => {
    const rule = {
      sharePercent: readWhole(form, 'share'),
      maxRunning: readWhole(form, 'running'),
      urgency: readWhole(form, 'urgency') ?? 0,
    }
    await shareLanesByOperator(db, requireId(params.id!), rule, readReason(form))
    return { redirectTo: `/accounts/${params.id}` }
  }),
  defineConsolePage('POST /accounts/{id}/keys/{prefix}/limit', 'support', async ({ params, form, db }) => {
    const [call, day] = ['call', 'day'].map(name => (form.get(name)?.trim() ? readAmount(form, name) : null))
    const limits = {
      accountId: requireId(params.id!),
      prefix: params.prefix!,
      callCapMicros: call!,
      dailyCapMicros: day!,
    }
    await limitKeyByOperator(db, limits, readReason(form))
    return { redirectTo: `/accounts/${params.id}` }
  }),
  defineConsolePage('POST /accounts/{id}/keys/{prefix}/revoke', 'support', async ({ params, form, db }) => {
    await revokeKeyByOperator(db, requireId(params.id!), params.prefix!, readReason(form))
    return { redirectTo: `/accounts/${params.id}` }
  }),
  defineConsolePage('POST /accounts/{id}/view', 'support', async ({ session, params, form, db }, { config }) => {
    const token = VIEW_TOKENS.mint()
    await viewAccount(db, requireId(params.id!), VIEW_TOKENS.hash(config.secret, token), readReason(form))
    const url = `${config.publicUrl}/sign-in/view/${token}`
    const content = html`<section class="card stack"><p>The link works once, within five minutes, and shows the pages for an hour.</p><p class="row"><a class="button" href="${url}" rel="noreferrer">Open the pages of this account</a><a href="/accounts/${params.id}">Back</a></p></section>`
    return renderConsolePage(session, { path: '/accounts', title: 'See what they see', lead: params.id, content })
  }),
]

async function suspend({ params, form, db }: ConsoleRequest, isSuspended: boolean) {
  await suspendByOperator(db, requireId(params.id!), isSuspended, readReason(form))
  return { redirectTo: `/accounts/${params.id}` }
}

function requireId(id: string): string {
  if (!isUuid(id)) throw new Problem('NOT_FOUND')
  return id
}

async function requireAccount(db: ConsoleRequest['db'], id: string): Promise<AdminAccount> {
  const account = await findAccount(db, requireId(id))
  if (!account) throw new Problem('NOT_FOUND')
  return account
}

function renderLine({
  id,
  name,
  is_test: isTest,
  balance_micros: balance,
  held_micros: held,
  ...rest
}: AdminAccount): Html {
  const title = name ?? rest.identities[0] ?? rest.wallets[0] ?? id
  return html`<tr><td><a href="/accounts/${id}">${title}</a></td><td class="num">${formatMoney(balance)}</td><td class="num">${formatMoney(held)}</td><td class="when">${renderTime(rest.created_at)}</td><td>${rest.suspended_at ? html`<span class="pill bad">suspended</span>` : isTest && html`<span class="pill calm">test</span>`}</td></tr>`
}

function renderFacts(account: AdminAccount): Html {
  const { balance_micros: balance, held_micros: held, debt_micros: debt, suspended_at: suspendedAt } = account
  return html`<dt>Balance</dt><dd>${formatMoney(balance)}</dd><dt>Held</dt><dd>${formatMoney(held)}</dd>
${debt > 0n && html`<dt>Owed</dt><dd>${formatMoney(debt)}</dd>`}<dt>Created</dt><dd>${renderTime(account.created_at)}</dd>
<dt>Signed in</dt><dd>${account.signed_in_at ? renderTime(account.signed_in_at) : 'never'}</dd>
<dt>Identities</dt><dd>${account.identities.join(', ') || 'none'}</dd><dt>Wallets</dt><dd class="mono">${account.wallets.join(', ') || 'none'}</dd>
<dt>Money</dt><dd>${account.is_test ? 'test money' : 'real money'}</dd>${suspendedAt && html`<dt>Suspended</dt><dd>${renderTime(suspendedAt)}</dd>`}`
}

function renderActs(session: ConsoleRequest['session'], account: AdminAccount): Html {
  const { id, suspended_at: suspendedAt } = account
  if (!hasRole(session, 'support')) return html``
  const amount = html`<div class="field"><label for="amount">Dollars</label><input id="amount" name="amount" required inputmode="decimal"></div><div class="field"><label for="reference">Reference, which is credited once (optional)</label><input id="reference" name="reference" maxlength="200"></div>`
  return html`<section class="card stack"><h2>Act</h2>
${hasRole(session, 'full') && renderAct(session, { action: `/accounts/${id}/credit`, label: 'Credit', fields: amount })}
${
  suspendedAt
    ? renderAct(session, { action: `/accounts/${id}/resume`, label: 'Resume' })
    : renderAct(session, { action: `/accounts/${id}/suspend`, label: 'Suspend', isDangerous: true })
}
${renderAct(session, { action: `/accounts/${id}/lanes`, label: 'Share lanes', fields: renderLaneFields(account) })}
${renderAct(session, { action: `/accounts/${id}/view`, label: 'See what they see' })}</section>`
}

function renderLaneFields({ lane_share_percent: share, lane_max_running: running, lane_urgency }: AdminAccount): Html {
  const whole = (name: string, title: string, value: number | null) =>
    html`<div class="field"><label for="${name}">${title}</label><input id="${name}" name="${name}" value="${value ?? ''}" inputmode="numeric" placeholder="standard"></div>`
  const urgencies = [
    ['-1', 'before others'],
    ['0', 'like others'],
    ['1', 'after others'],
  ] as const
  const urgency = renderSelect({ id: 'urgency', name: 'urgency', label: 'Jobs go' }, urgencies, String(lane_urgency))
  return html`${whole('share', 'Percent of the places', share)}${whole('running', 'Jobs at once in a lane', running)}${urgency}`
}

function readWhole(form: URLSearchParams, name: string): number | null {
  const text = (form.get(name) ?? '').trim()
  if (text === '') return null
  if (!/^-?\d{1,6}$/.test(text)) throw new Problem('INVALID_PARAM', { field: name, reason: 'Enter a whole number.' })
  return Number(text)
}

function renderKeys(session: ConsoleRequest['session'], account: AdminAccount, keys: readonly AdminKey[]): Html {
  const lines = keys.map(key => {
    const ended = key.revoked_at ?? key.ends_at
    const canChange = hasRole(session, 'support') && !ended && !key.is_connector
    return html`<tr><td><code>${key.prefix}</code> ${key.name}</td><td>${key.used_at && renderTime(key.used_at)}</td><td class="num">${formatCap(key.call_cap_micros)}</td><td class="num">${formatCap(key.daily_cap_micros)}</td><td>${ended ? 'ended' : key.is_connector ? 'connector' : 'works'}</td><td>${canChange && renderKeyActs(session, account.id, key)}</td></tr>`
  })
  return renderTable(['Key', 'Used', 'A call at most', 'A day at most', 'State', 'Change'], lines, 'There is no key.')
}

function renderKeyActs(session: ConsoleRequest['session'], id: string, { prefix, ...key }: AdminKey): Html {
  const action = `/accounts/${id}/keys/${prefix}`
  const cap = (name: string, title: string, micros: bigint | null) =>
    html`<div class="field"><label for="${name}-${prefix}">${title}</label><input id="${name}-${prefix}" name="${name}" value="${micros === null ? '' : formatMoney(micros).slice(1)}" inputmode="decimal"></div>`
  const fields = html`${cap('call', 'Dollars a call', key.call_cap_micros)}${cap('day', 'Dollars a day', key.daily_cap_micros)}`
  return html`<details><summary>Change</summary>${renderAct(session, { action: `${action}/limit`, label: 'Limit', fields })}${renderAct(session, { action: `${action}/revoke`, label: 'Revoke', isDangerous: true })}</details>`
}

function formatCap(micros: bigint | null): string {
  return micros === null ? 'no limit' : formatMoney(micros)
}
