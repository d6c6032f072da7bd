import { formatUsd } from '#kit'
import { type Html, html } from './html.ts'

/** Dollars as people read them: two places at least, and as many more as there are. */
export function money(micros: bigint | string): string {
  const text = formatUsd(BigInt(micros))
  const [whole, places = ''] = text.split('.')
  const sign = whole!.startsWith('-') ? '−' : ''
  return `${sign}$${grouped(whole!.replace('-', ''))}.${places.padEnd(2, '0')}`
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

export function moment(at: string | Date): Html {
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}" title="${date.toISOString()}">${MOMENT.format(date)}</time>`
}

export function dayName(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`))
}

const TONES: Record<string, string> = {
  settled: 'good',
  succeeded: 'good',
  pending: 'wait',
  submitted: 'wait',
  running: 'wait',
  released: 'calm',
  refunded: 'calm',
  failed: 'bad',
  expired: 'bad',
}

export function pill(status: string): Html {
  return html`<span class="pill ${TONES[status] ?? 'calm'}">${status}</span>`
}

/** The number in an address, or zero: whoever edits it gets the first page. */
export function offsetIn(query: Record<string, string>): number {
  const offset = Number(query.offset ?? 0)
  return Number.isSafeInteger(offset) && offset > 0 && offset <= 1_000_000 ? offset : 0
}

export function pager(
  path: string,
  query: Record<string, string>,
  page: { offset: number; size: number; hasMore: boolean },
): Html {
  const link = (offset: number) => `${path}?${new URLSearchParams({ ...query, offset: String(offset) })}`
  const { offset, size, hasMore } = page
  if (offset === 0 && !hasMore) return html``
  return html`<nav class="pager" aria-label="Pages">
${offset > 0 ? html`<a class="button quiet small" href="${link(Math.max(0, offset - size))}">Newer</a>` : html`<span></span>`}
${hasMore && html`<a class="button quiet small" href="${link(offset + size)}">Older</a>`}
</nav>`
}
