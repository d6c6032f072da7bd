import { formatUsd, Problem, type Rates, type Tariff } from '#kit'
import { UsageError } from '../../../ops/cli/verb.ts'
import { chooseRates, findEntry, isQuoted } from '../../../ops/prices/choose.ts'
import { expectedAmount, priceExample, readExamples } from '../../../ops/prices/examples.ts'
import { listChanges, type PreviewDay, previewPrice, setPriceByOperator } from '../../../sql/admin/settings.ts'
import { formatDay, formatMoney } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderNotice } from '../../pages/parts/layout.ts'
import { isPaid, type PaidEntry } from '../../surfaces/entries.ts'
import { describePrice } from '../../surfaces/prices.ts'
import type { ConsoleContext } from '../context.ts'
import { type ConsoleRequest, defineConsolePage, hasRole } from '../page.ts'
import { renderChanges } from '../parts/changes.ts'
import { readMoment } from '../parts/form.ts'
import { renderAct, renderConsolePage, renderTable } from '../parts/layout.ts'

const [SHOWN_CHANGES, SHOWN_CALLS] = [30, 5]

export const pricePages = [
  defineConsolePage('GET /prices', 'read', async ({ session, query, db }, context) => {
    const text = (query.q ?? '').trim().toLowerCase()
    const entries = listPaid(context).filter(({ name }) => name.toLowerCase().includes(text))
    const ratesOf = (name: string) => context.settings.ratesOf(name)
    const lines = entries.map(
      entry =>
        html`<tr><td><a href="/prices/${entry.name}">${entry.name}</a></td><td>${describePrice(entry, ratesOf)} ${ratesOf(entry.name) && html`<span class="pill wait">changed</span>`}</td></tr>`,
    )
    const changes = await listChanges(db, 'price', undefined, SHOWN_CHANGES)
    const content = html`<form action="/prices" class="limits"><div class="field"><label for="q">Name</label><input id="q" name="q" value="${text}"></div><button class="button small" type="submit">Search</button></form>
<section class="card flush">${renderTable(['Call', 'Price'], lines, 'No call fits.')}</section>
<section class="card flush"><header class="cap"><h2>Changes</h2></header>${renderChanges(session, changes, '/prices')}</section>`
    return renderConsolePage(session, { path: '/prices', title: 'Prices', content })
  }),

  defineConsolePage('GET /prices/{name}', 'read', async ({ session, params, query, db }, context) => {
    const entry = requireEntry(context, params.name!)
    const [planned, changes] = await Promise.all([
      query.usd === undefined ? undefined : plan(context, entry, query.usd, 'force' in query),
      listChanges(db, 'price', entry.name, SHOWN_CHANGES),
    ])
    const content = html`${isQuoted(entry) ? renderNotice('plain', `It costs what is quoted; change the settings ${entry.price.settings}.`) : hasRole(session, 'full') && renderQuestion(entry, query)}
${planned && (planned.fault !== undefined ? renderNotice('bad', planned.fault) : await renderPlan({ session, db, query }, entry, planned.rates, context))}
<section class="card flush"><header class="cap"><h2>Changes</h2></header>${renderChanges(session, changes, `/prices/${entry.name}`)}</section>`
    const lead = describePrice(entry, name => context.settings.ratesOf(name))
    return renderConsolePage(session, { path: '/prices', title: entry.name, lead, content })
  }),

  defineConsolePage('POST /prices/{name}', 'full', async ({ params, form, db }, context) => {
    const entry = requireEntry(context, params.name!)
    const planned = await plan(context, entry, form.get('usd') ?? '', form.has('force'))
    if (planned.fault !== undefined) throw new Problem('INVALID_PARAM', { field: 'usd', reason: planned.fault })
    await setPriceByOperator(db, entry.name, planned.rates, readMoment(form.get('due'), 'due'))
    await context.settings.refresh()
    return { redirectTo: `/prices/${entry.name}` }
  }),
]

function listPaid({ catalog }: ConsoleContext): PaidEntry[] {
  return catalog.entries.filter(isPaid).sort((one, other) => (one.name < other.name ? -1 : 1))
}

function requireEntry(context: ConsoleContext, name: string): PaidEntry {
  const entry = listPaid(context).find(each => each.name === name)
  if (!entry) throw new Problem('NOT_FOUND')
  return entry
}

interface Plan {
  /** Undefined for the declared price. */
  rates?: Rates
  fault?: string
}

/** The same decision as that of `price set` on the command line. */
async function plan({ catalog }: ConsoleContext, { name }: PaidEntry, text: string, isForced: boolean): Promise<Plan> {
  if (text.trim() === 'default') return {}
  try {
    const entry = findEntry(catalog.entries.filter(isPaid), name)
    return { rates: chooseRates(entry, text.trim(), { typical: await priceTypical(entry), isForced }) }
  } catch (error) {
    if (error instanceof UsageError) return { fault: error.message }
    throw error
  }
}

async function priceTypical(entry: PaidEntry, rates?: Rates): Promise<Tariff> {
  const [example] = await readExamples(entry, 1)
  return priceExample(entry, example!, rates)
}

function renderQuestion(entry: PaidEntry, query: Record<string, string>): Html {
  return html`<form action="/prices/${entry.name}" class="card limits"><div class="field"><label for="usd">Dollars for its first example, or “default”</label><input id="usd" name="usd" value="${query.usd}" required></div><div class="field"><label for="force">Far from the default</label><input id="force" name="force" type="checkbox" value="yes" ${'force' in query && html`checked`}></div><button class="button small" type="submit">Preview</button></form>`
}

/** What five typical calls cost, and what the calls of the last week would have come to. */
async function renderPlan(
  { session, db, query }: Pick<ConsoleRequest, 'session' | 'db' | 'query'>,
  entry: PaidEntry,
  rates: Rates | undefined,
  { settings }: ConsoleContext,
): Promise<Html> {
  const current = settings.ratesOf(entry.name)
  const examples = await readExamples(entry, SHOWN_CALLS)
  const [before, after] = [current, rates].map(each => expectedAmount(priceExample(entry, examples[0]!, each)))
  const days = await previewPrice(db, entry.name, {
    ...{ numerator: after!, denominator: before!, floorMicros: 1_000n, ceilingMicros: 1_000_000n },
  })
  const calls = examples.map(example => {
    const [old, next] = [current, rates].map(each => expectedAmount(priceExample(entry, example, each)))
    return html`<tr><td>${example.title}</td><td class="num">${formatUsd(old!)}</td><td class="num">${formatUsd(next!)}</td></tr>`
  })
  const kept = html`<input type="hidden" name="usd" value="${query.usd}">${'force' in query && html`<input type="hidden" name="force" value="yes">`}`
  const due = html`<div class="field"><label for="due">At (UTC); empty for now</label><input id="due" name="due" type="datetime-local"></div>`
  return html`<section class="card flush"><header class="cap"><h2>Typical calls</h2></header>${renderTable(['Call', 'Before', 'After'], calls, '')}</section>
<section class="card flush"><header class="cap"><h2>The calls of the last week</h2></header>${renderDays(days)}</section>
<section class="card">${renderAct(session, { action: `/prices/${entry.name}`, label: 'Set this price', fields: html`${kept}${due}`, needsReason: false })}</section>`
}

function renderDays(days: readonly PreviewDay[]): Html {
  const lines = days.map(
    ({ day, calls, revenue_micros: old, new_micros: next }) =>
      html`<tr><td>${formatDay(new Date(day).toISOString().slice(0, 10))}</td><td class="num">${calls}</td><td class="num">${formatMoney(old)}</td><td class="num">${formatMoney(next)}</td></tr>`,
  )
  return renderTable(['Day', 'Calls', 'Charged', 'Would have been'], lines, 'It was not called in the last week.')
}
