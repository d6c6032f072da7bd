import { formatUsd, type PriceTag } from '#kit'
import { type Html, html } from './html.ts'

/** Dollars with at least two decimals, and more only where the amount has them. */
export function formatMoney(micros: bigint | string): string {
  const text = formatUsd(BigInt(micros))
  const [whole, decimals = ''] = text.split('.')
  const sign = whole!.startsWith('-') ? '−' : ''
  return `${sign}$${groupThousands(whole!.replace('-', ''))}.${decimals.padEnd(2, '0')}`
}

/** `$0.001 per page`, `$0.01, and $0.002 per page`. */
export function formatRate({ unit, rateMicros, baseMicros }: PriceTag): string {
  const rate = `${formatMoney(rateMicros)} per ${unit}`
  return baseMicros > 0n ? `${formatMoney(baseMicros)}, and ${rate}` : rate
}

/** `pageCount` becomes `Page count`. */
export function formatLabel(name: string): string {
  const words = name.replaceAll(
    /([a-z0-9])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  )
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `0.3 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1_000
  const whole = Math.round(seconds)
  if (whole < 60) return `${seconds < 10 ? seconds.toFixed(1) : whole} s`
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** `12 kB`, in powers of ten, as file managers show it. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB']
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1_000 ** power
  return `${power > 0 && amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[power]}`
}

function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

const TIME_OPTIONS = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
} as const
/** Made with the first page, because making them takes 20 ms of a start. */
let formats: ReturnType<typeof openFormats> | undefined

function openFormats() {
  return {
    time: new Intl.DateTimeFormat('en-GB', TIME_OPTIONS),
    timeWithYear: new Intl.DateTimeFormat('en-GB', { ...TIME_OPTIONS, year: 'numeric' }),
    day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  }
}

/** `29 Nov, 15:33`, and with the year if it is not the present one. */
export function renderTime(at: string | Date, now = new Date()): Html {
  const date = new Date(at)
  const isThisYear = date.getUTCFullYear() === now.getUTCFullYear()
  formats ??= openFormats()
  const text = (isThisYear ? formats.time : formats.timeWithYear).format(date)
  return html`<time datetime="${date.toISOString()}" title="${date.toISOString()}">${text}</time>`
}

export function formatDay(day: string): string {
  formats ??= openFormats()
  return formats.day.format(new Date(`${day}T00:00:00Z`))
}

const STATUS_TONES: Record<string, string> = {
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

export function renderStatus(status: string): Html {
  return html`<span class="pill ${STATUS_TONES[status] ?? 'calm'}">${status}</span>`
}

/** A number of things, as in "1 match" and "2 matches". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

/** The offset in the query, or zero if it is not a valid one. */
export function readOffset(query: Record<string, string>): number {
  const offset = Number(query.offset ?? 0)
  return Number.isSafeInteger(offset) && offset > 0 && offset <= 1_000_000 ? offset : 0
}

export function renderPager(
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
