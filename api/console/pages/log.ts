import { type Act, searchActs, verifyActs } from '../../../sql/admin/log.ts'
import { renderField } from '../../pages/parts/field.ts'
import { readOffset, renderPager, renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderNotice } from '../../pages/parts/layout.ts'
import { defineConsolePage } from '../page.ts'
import { renderConsolePage, renderTable } from '../parts/layout.ts'

const PAGE = 50

export const logPages = [
  defineConsolePage('GET /log', 'read', async ({ session, query, db }) => {
    const offset = readOffset(query)
    const text = (name: string) => query[name]?.trim() || undefined
    const search = { operator: text('operator'), subject: text('subject'), action: text('action') }
    const [acts, changed] = await Promise.all([
      searchActs(db, search, { first: PAGE + 1, offset }),
      'verify' in query ? verifyActs(db) : undefined,
    ])
    const draft = { values: query, faults: {} }
    const field = (name: string, label: string) =>
      renderField({ id: name, name, label, attributes: html`maxlength="100"` }, draft)
    const { offset: _offset, ...kept } = query
    const content = html`${changed !== undefined && (changed === null ? renderNotice('good', 'Every entry is as it was written.') : renderNotice('bad', `Entry ${changed} is not as it was written.`))}
<form action="/log" class="limits">${field('operator', 'Operator')}${field('subject', 'Subject')}${field('action', 'Act')}<button class="button small" type="submit">Search</button><a href="/log?verify">Check the chain</a></form>
<section class="card flush">${renderTable(['No.', 'When', 'Operator', 'Act', 'Subject', 'Before', 'After', 'Reason', 'From'], acts.slice(0, PAGE).map(renderAct), 'Nothing was done.')}</section>
${renderPager('/log', kept, { offset, size: PAGE, hasMore: acts.length > PAGE })}`
    return renderConsolePage(session, {
      ...{ path: '/log', title: 'Log', content },
      lead: 'What operators did. Every entry has the hash of the one before it.',
    })
  }),
]

function renderAct({ seq, created_at: at, operator, action, subject, before, after, reason, address }: Act): Html {
  return html`<tr><td class="num">${seq}</td><td class="when">${renderTime(at)}</td><td>${operator}</td><td>${action}</td><td class="mono">${subject}</td><td>${renderDifference(before, after)}</td><td>${renderDifference(after, before)}</td><td>${reason}</td><td>${address}</td></tr>`
}

/** Of what is the same before and after, nothing is shown. */
function renderDifference(shown: unknown, other: unknown): string {
  if (shown === null || shown === undefined) return ''
  if (typeof shown !== 'object') return String(shown as string | number | boolean)
  const fields = Object.entries(shown).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify((other as Record<string, unknown> | null)?.[name]),
  )
  return fields
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
