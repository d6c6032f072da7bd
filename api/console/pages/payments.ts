import { listChunks, listDoubtfulPayments } from '../../../sql/admin/today.ts'
import { formatMoney, readOffset, renderPager, renderTime } from '../../pages/parts/format.ts'
import { html } from '../../pages/parts/html.ts'
import { defineConsolePage } from '../page.ts'
import { renderConsolePage, renderTable } from '../parts/layout.ts'

const PAGE = 50
const STATES = ['claimed', 'pending', 'sending', 'unknown', 'settled', 'failed']

export const paymentPages = [
  defineConsolePage('GET /payments', 'read', async ({ session, query, db }) => {
    const [state, offset] = [STATES.find(each => each === query.state), readOffset(query)]
    const [found, doubtful] = await Promise.all([listChunks(db, state, PAGE + 1, offset), listDoubtfulPayments(db)])
    const links = [undefined, ...STATES].map(
      each =>
        html`<a href="${each === undefined ? '/payments' : `/payments?state=${each}`}" ${each === state && html`aria-current="page"`}>${each ?? 'all'}</a>`,
    )
    const lines = found
      .slice(0, PAGE)
      .map(
        chunk =>
          html`<tr><td class="when">${renderTime(chunk.created_at)}</td><td><a class="mono" href="/accounts/${chunk.account_id}">${chunk.payer.slice(0, 10)}…</a></td><td class="num">${formatMoney(chunk.amount_micros)} ${chunk.symbol}</td><td>${chunk.state} ${chunk.reason}</td><td class="mono">${chunk.tx_hash?.slice(0, 14)}</td><td class="when">${chunk.ended_at && renderTime(chunk.ended_at)}</td></tr>`,
      )
    const open = doubtful.map(
      ({ state: name, chunks, amount_micros: amount, oldest }) =>
        html`<tr><td>${name}</td><td class="num">${chunks}</td><td class="num">${formatMoney(amount)}</td><td class="when">${renderTime(oldest)}</td></tr>`,
    )
    const content = html`<section class="card flush"><header class="cap"><h2>In doubt</h2></header>${renderTable(['State', 'Payments', 'Amount', 'Oldest'], open, 'Every payment is settled or has failed.')}</section>
<nav class="chips" aria-label="State">${links}</nav>
<section class="card flush">${renderTable(['Created', 'Payer', 'Amount', 'State', 'Transaction', 'Ended'], lines, 'There is no payment.')}</section>
${renderPager('/payments', state === undefined ? {} : { state }, { offset, size: PAGE, hasMore: found.length > PAGE })}`
    return renderConsolePage(session, { path: '/payments', title: 'Payments', content })
  }),
]
