import { listRetention } from '../../../sql/product/retention.ts'
import { html } from '../../pages/parts/html.ts'
import { defineConsolePage } from '../page.ts'
import { renderConsolePage, renderTable } from '../parts/layout.ts'

export const retentionPages = [
  defineConsolePage('GET /retention', 'read', async ({ session, db }) => {
    const kept = await listRetention(db)
    const lines = kept.map(
      ({ product, of, after, removedBy, due }) =>
        html`<tr><td>${product}</td><td>${of}</td><td>${after}</td><td><code>${removedBy}</code></td><td class="num">${due ?? ''}</td></tr>`,
    )
    const content = html`<section class="card flush">${renderTable(['Product', 'What is kept', 'Until after', 'Removed by', 'Due now'], lines, '')}</section>`
    return renderConsolePage(session, { path: '/retention', title: 'Retention', content })
  }),
]
