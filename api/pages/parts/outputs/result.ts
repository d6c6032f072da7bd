import type { StoredOutput } from '#kit'
import type { JobRecord } from '../../../../sql/job.ts'
import type { ApiContext } from '../../../context.ts'
import { formatBytes, formatLabel, renderTime } from '../format.ts'
import { type Html, html } from '../html.ts'
import { renderCode, renderNotice } from '../layout.ts'
import { findExpiry, type JobFile, listFiles, readHead, withoutFiles } from './files.ts'
import { previewKind } from './preview.ts'
import { readCsv, readObjects, renderTable } from './table.ts'

const HEAD_BYTES = 64 * 1_024
const MAX_TEXT_CHARS = 20_000
const MAX_JSON_CHARS = 20_000
const MAX_FILES = 100
const SHORT_CHARS = 120
const MAX_DEPTH = 3

/** Where the pages about a job are. */
interface JobPlace {
  address: string
  query: string
}

/** The files of a job, the first with a preview, and everything else that it answered. They are below `address`, with `query`. */
export async function renderResult(
  context: ApiContext,
  accountId: string,
  job: JobRecord,
  { address, query }: JobPlace = { address: `/dashboard/jobs/${job.ticket.id}`, query: '' },
): Promise<Html> {
  const files = listFiles(context, job)
  const rest = prune(withoutFiles(context, job))
  const filesCard = files.length > 0 && (await renderFiles(context, accountId, { address, query }, files))
  const download = html`<a class="button quiet small" href="${address}/result.json${query}">Download JSON</a>`
  const answer =
    rest !== undefined &&
    html`<section class="card stack"><header class="cap"><h2>${files.length > 0 ? 'Details' : 'Result'}</h2>${files.length === 0 && download}</header>${renderValue(rest, 0, '')}
<details><summary>As JSON</summary>${renderCode(cut(JSON.stringify(rest, null, 2), MAX_JSON_CHARS), 'The result as JSON')}</details></section>`
  return html`${filesCard}${answer}`
}

async function renderFiles(
  context: ApiContext,
  accountId: string,
  place: JobPlace,
  files: readonly JobFile[],
): Promise<Html> {
  const { output } = files[0]!
  const expiresAt = await findExpiry(context, accountId, output)
  if (expiresAt === null)
    return renderNotice('plain', 'The files of this job are deleted. Run the call again to get new ones.')
  const address = (index: number, part = '') => `${place.address}/files/${index}${part}${place.query}`
  const others = files
    .slice(1, MAX_FILES)
    .map(
      ({ output: { name, sizeBytes } }, index) =>
        html`<li><a href="${address(index + 1)}">${name}</a> <span class="dim">${formatBytes(sizeBytes)}</span></li>`,
    )
  const hidden = files.length - MAX_FILES
  return html`<section class="card stack file"><header class="cap"><div><h2>${output.name}</h2><p class="dim">${output.contentType}, ${formatBytes(output.sizeBytes)}${expiresAt && html`, kept until ${renderTime(expiresAt)}`}</p></div><a class="button small" href="${address(0)}">Download</a></header>
${await renderPreview(context, output, address(0, '/preview'))}
${others.length > 0 && html`<details open><summary>${files.length - 1} more ${files.length === 2 ? 'file' : 'files'}</summary><ul class="plain parts">${others}</ul></details>`}${hidden > 0 && html`<p class="dim">${hidden} more are in the answer of the API.</p>`}</section>`
}

async function renderPreview(context: ApiContext, output: StoredOutput, address: string): Promise<Html | false> {
  const kind = previewKind(output)
  if (kind === 'none') return false
  if (kind === 'picture' || kind === 'page') {
    const text = kind === 'page' ? `The first page of ${output.name}` : output.name
    return html`<p class="preview"><img src="${address}" alt="${text}"></p>`
  }
  const head = await readHead(context, output, HEAD_BYTES)
  if (head.includes(0)) return false
  const isWhole = head.length >= output.sizeBytes
  if (kind === 'table') {
    try {
      return renderTable(readCsv(head, isWhole), output.name)
    } catch {
      // Not a table after all, so it is shown as text.
    }
  }
  const text = new TextDecoder().decode(head, { stream: true })
  const end = isWhole && text.length <= MAX_TEXT_CHARS ? '' : '\n…'
  return renderText(text.slice(0, MAX_TEXT_CHARS) + end, output.name)
}

function renderText(text: string, label: string): Html {
  return html`<pre class="text" tabindex="0" aria-label="${label}">${text}</pre>`
}

/** Drops what is empty once the files are taken out. */
function prune(value: unknown): unknown {
  if (Array.isArray(value)) {
    const kept = value.map(prune).filter(item => item !== undefined)
    return kept.length > 0 || value.length === 0 ? kept : undefined
  }
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value)
    .map(([name, item]) => [name, prune(item)] as const)
    .filter(([, item]) => item !== undefined)
  return kept.length > 0 || Object.keys(value).length === 0 ? Object.fromEntries(kept) : undefined
}

/** Short values as a list of facts; tables, texts and lists below it, each under its name, and known by its whole path. */
function renderValue(value: unknown, depth: number, path: string): Html {
  if (typeof value !== 'object' || value === null) return renderLong(value, 'Result', depth)
  if (Array.isArray(value)) return renderLong(value, 'Result', depth)
  const fields = Object.entries(value)
  const [short, long] = [fields.filter(([, field]) => isShort(field)), fields.filter(([, field]) => !isShort(field))]
  const facts = short.map(([name, field]) => html`<dt>${formatLabel(name)}</dt><dd>${formatShort(field)}</dd>`)
  const blocks = long.map(([name, field]) => {
    const label = path === '' ? formatLabel(name) : `${path}: ${formatLabel(name)}`
    return html`<div class="part"><h3>${formatLabel(name)}</h3>${renderLong(field, label, depth)}</div>`
  })
  return html`${facts.length > 0 && html`<dl class="facts">${facts}</dl>`}${blocks}`
}

function renderLong(value: unknown, label: string, depth: number): Html {
  if (typeof value === 'string') return renderText(cut(value, MAX_TEXT_CHARS), label)
  if (isShort(value)) return html`<p class="answer">${formatShort(value)}</p>`
  if (Array.isArray(value) && value.every(item => typeof item === 'object' && item !== null && !Array.isArray(item)))
    return renderTable(readObjects(value as object[]), label)
  if (!Array.isArray(value) && depth < MAX_DEPTH) return renderValue(value, depth + 1, label)
  if (Array.isArray(value) && value.every(item => typeof item !== 'object'))
    return renderText(cut(value.map(String).join('\n'), MAX_TEXT_CHARS), label)
  return renderCode(cut(JSON.stringify(value, null, 2), MAX_JSON_CHARS), label)
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= SHORT_CHARS && !value.includes('\n')
  if (Array.isArray(value))
    return value.every(item => typeof item !== 'object') && value.join(', ').length <= SHORT_CHARS
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}

function formatShort(value: unknown): Html | string {
  if (value === '') return html`<span class="dim">empty</span>`
  if (Array.isArray(value) && value.length > 0) return value.map(String).join(', ')
  if (typeof value === 'object') return html`<span class="dim">none</span>`
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value as string | number)
}

function cut(text: string, maxChars: number): string {
  const more = text.length - maxChars
  return more > 0 ? `${text.slice(0, maxChars)}\n… ${more.toLocaleString('en-US')} more characters` : text
}
