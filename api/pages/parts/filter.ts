import type { listKeyNames } from '../../../sql/key.ts'
import type { ApiContext } from '../../context.ts'
import { isDay } from '../../intake/validation/call-filter.ts'
import { type Draft, renderField, renderSelect } from './field.ts'
import { type Html, html } from './html.ts'

/** Which calls a page lists. Days are those of UTC, both included. */
interface CallFilter {
  from?: string
  to?: string
  operation?: string
  /** The prefix of a key. */
  key?: string
}

export function readCallFilter(query: Record<string, string>): { filter: CallFilter; draft: Draft } {
  const faults: Record<string, string> = {}
  const readDay = (name: 'from' | 'to') => {
    const day = query[name]?.trim()
    if (day && !isDay(day)) faults[name] = 'Enter a day, such as 2026-01-31.'
    return day || undefined
  }
  const [from, to] = [readDay('from'), readDay('to')]
  if (from && to && from > to && !faults.from && !faults.to) faults.to = 'The last day is before the first.'
  const operation = /^[\w.-]{1,100}$/.exec(query.operation?.trim() ?? '')?.[0]
  if (query.operation?.trim() && !operation) faults.operation = 'Enter the name of an operation, such as pdf.merge.'
  const key = /^\w{1,64}$/.exec(query.key ?? '')?.[0]
  return { filter: { from, to, operation, key }, draft: { values: query, faults } }
}

/** The filter as a query string has it: without what is not set. */
export function toQuery(filter: object): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

interface FilterForm {
  path: string
  filter: CallFilter
  /** What else the page is filtered by, which the form keeps. */
  kept: Record<string, string | undefined>
  draft: Draft
  keys: Awaited<ReturnType<typeof listKeyNames>>
}

export function renderCallFilter({ catalog }: ApiContext, { path, filter, kept, draft, keys }: FilterForm): Html {
  const isOpen = Object.keys({ ...toQuery(filter), ...draft.faults }).length > 0
  const hidden = Object.entries(toQuery(kept)).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const names = catalog.entries.filter(({ price }) => price).map(({ name }) => html`<option value="${name}"></option>`)
  const options = keys.map(({ prefix, name, isValid }) => {
    const title = name ? `${name} (${prefix}…)` : `${prefix}…`
    return [prefix, isValid ? title : `${title}, ended`] as const
  })
  const day = html`type="date" min="2000-01-01"`
  const list = html`list="operations" autocomplete="off" placeholder="all"`
  return html`<details class="filter" ${isOpen && html`open`}><summary>Filter</summary>
<form action="${path}" class="limits">${hidden}
${renderField({ id: 'from', name: 'from', label: 'From', attributes: day }, draft)}${renderField({ id: 'to', name: 'to', label: 'To', attributes: day }, draft)}
${renderField({ id: 'operation', name: 'operation', label: 'Operation', attributes: list }, draft)}<datalist id="operations">${names}</datalist>
${renderSelect({ id: 'key', name: 'key', label: 'API key' }, [['', 'all'], ...options], filter.key)}
<div class="row"><button class="button small" type="submit">Apply</button>${isOpen && html`<a href="${path}">Clear</a>`}</div></form></details>`
}
