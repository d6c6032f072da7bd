// Shows what a call made: a picture, a PDF, a table or a text, each with a button to save it.

const MAX_ROWS = 50
const MAX_TEXT = 20_000
const NAMES = { 'image/jpeg': 'jpg', 'image/svg+xml': 'svg', 'text/plain': 'txt', 'text/markdown': 'md' }

/** An element with its text and attributes. */
export function make(tag, text, attributes = {}) {
  const element = Object.assign(document.createElement(tag), attributes)
  if (text !== undefined) element.textContent = text
  return element
}

export function bytesOf(base64) {
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
}

/** The file as a preview and a link that saves it. */
export async function previewFile(blob, name) {
  const type = blob.type.split(';')[0]
  const address = URL.createObjectURL(blob)
  const link = make('a', `Save ${formatSize(blob.size)} of ${type || 'bytes'}`, {
    href: address,
    download: name ?? `output.${NAMES[type] ?? type.split('/').at(-1) ?? 'bin'}`,
  })
  const view = await renderView(blob, type, address)
  return view ? [view, link] : [link]
}

async function renderView(blob, type, address) {
  if (type.startsWith('image/') && type !== 'image/tiff')
    return make('img', undefined, { src: address, alt: 'The output' })
  if (type === 'application/pdf') return make('iframe', undefined, { src: address, title: 'The output' })
  if (type === 'text/csv' || type === 'text/tab-separated-values')
    return renderTable(await blob.text(), type === 'text/csv' ? ',' : '\t')
  if (type.startsWith('text/') || /[/+](json|xml)$/.test(type)) return renderText(await blob.text())
  return undefined
}

export function renderText(text) {
  return make('pre', text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n…` : text, { tabIndex: 0 })
}

/** The first rows of a table; quoted cells may hold separators and line ends. */
function renderTable(text, separator) {
  const table = make('table')
  for (const row of readRows(text, separator)) {
    const line = table.insertRow()
    for (const cell of row) line.insertCell().textContent = cell
  }
  const frame = make('div', undefined, { className: 'scroll', tabIndex: 0 })
  frame.append(table)
  return frame
}

function readRows(text, separator) {
  const rows = [[]]
  const cells =
    separator === ',' ? /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/g : /("(?:[^"]|"")*"|[^\t\r\n]*)(\t|\r?\n|$)/g
  for (const [, cell, end] of text.slice(0, MAX_TEXT * 10).matchAll(cells)) {
    rows.at(-1).push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end === '') break
    if (end !== separator) rows.push([])
    if (rows.length > MAX_ROWS) break
  }
  return rows.filter(row => row.length > 1 || row[0])
}

function formatSize(bytes) {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
