import { readPluginCalls } from '../../../sql/admin/plugins.ts'
import { listPlugins, type PluginRow } from '../../../sql/plugin/files.ts'
import { formatMoney, renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { defineConsolePage } from '../page.ts'
import { renderConsolePage, renderTable } from '../parts/layout.ts'

const DAYS = 7
const VERSION_CHARS = 12
const HEADS = [
  'File',
  'Operation',
  'Version',
  'Since',
  'Calls',
  'Failed',
  'Charged',
  'Author',
  "Author's part",
  'Refused',
]

type Calls = Awaited<ReturnType<typeof readPluginCalls>>[number]

export const pluginPages = [
  defineConsolePage('GET /plugins', 'read', async ({ session, db }, { config }) => {
    const from = new Date(Date.now() - DAYS * 86_400_000)
    const [plugins, calls] = await Promise.all([listPlugins(db), readPluginCalls(db, from)])
    const lines = plugins.map(plugin =>
      renderPlugin(
        plugin,
        calls.find(({ name }) => name === plugin.name),
      ),
    )
    const folder = config.pluginsDir
    const empty = folder
      ? `Nothing is in ${folder}.`
      : 'PLUGINS_DIR names the folder of your own operations; it is not set.'
    const content = html`<section class="card flush">${renderTable(HEADS, lines, empty)}</section>`
    return renderConsolePage(session, {
      ...{ path: '/plugins', title: 'Own operations', content },
      lead: `The files of the folder of plugins, and the calls of the last ${DAYS} days. A file that is refused changes nothing: its last good version stays in service.`,
    })
  }),
]

function renderPlugin(plugin: PluginRow, calls: Calls | undefined): Html {
  const { file, name, version, changed_at: changedAt, author_id: author, share_percent: percent, fault } = plugin
  const share = author && html`<a href="/accounts/${author}">${percent} %</a>`
  const operation = name && html`<a href="/jobs?operation=${encodeURIComponent(name)}">${name}</a>`
  return html`<tr><td class="mono">${file}</td><td>${operation}</td><td class="mono">${version?.slice(0, VERSION_CHARS)}</td><td class="when">${version && renderTime(changedAt)}</td><td class="num">${calls?.calls ?? 0}</td><td class="num">${calls?.failed ?? 0}</td><td class="num">${formatMoney(calls?.charged_micros ?? 0n)}</td><td>${share}</td><td class="num">${author && formatMoney(calls?.shared_micros ?? 0n)}</td><td>${fault}</td></tr>`
}
