export interface Profile {
  rows: number
  columns: ProfiledColumn[]
  duplicateRows: number
  correlations?: object[]
}

interface ProfiledColumn {
  name: string
  type: string
  nulls: number
  distinct: number
  min: string | number | null
  max: string | number | null
  mean?: number
  semantic?: string
  top: { value: string; count: number }[]
  histogram?: { from: number; to: number; count: number }[]
}

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ddd;padding:.3rem .5rem;text-align:left;vertical-align:top}'

export function renderProfile({ rows, columns, duplicateRows }: Profile, file = 'Table'): string {
  const title = escapeHtml(file)
  const body = columns.map(column => renderColumn(column, rows)).join('')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head><body><h1>${title}</h1><p>${rows} rows, ${columns.length} columns, ${duplicateRows} duplicate rows.</p><table><thead><tr><th>Column</th><th>Type</th><th>Missing</th><th>Distinct</th><th>Range</th><th>Commonest</th><th>Spread</th></tr></thead><tbody>${body}</tbody></table></body></html>`
}

function renderColumn(column: ProfiledColumn, rows: number): string {
  const missing = rows === 0 ? 0 : Math.round((1000 * column.nulls) / rows) / 10
  const kind = column.semantic ? `${column.type}, ${column.semantic}` : column.type
  const range = column.min === null ? '' : `${column.min} to ${column.max}`
  const top = column.top.slice(0, 3).map(({ value, count }) => `${value} (${count})`)
  const cells = [column.name, kind, `${column.nulls} (${missing} %)`, String(column.distinct), range, top.join('; ')]
  return `<tr>${cells.map(cell => `<td>${escapeHtml(cell)}</td>`).join('')}<td>${renderHistogram(column.histogram ?? [])}</td></tr>`
}

const [BAR, HEIGHT] = [8, 30]

function renderHistogram(bins: readonly { count: number }[]): string {
  const most = Math.max(0, ...bins.map(({ count }) => count))
  if (most === 0) return ''
  const bars = bins.map(({ count }, index) => {
    const height = Math.round((HEIGHT * count) / most)
    return `<rect x="${index * BAR}" y="${HEIGHT - height}" width="${BAR - 1}" height="${height}"/>`
  })
  return `<svg width="${bins.length * BAR}" height="${HEIGHT}" role="img" aria-label="Histogram">${bars.join('')}</svg>`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
