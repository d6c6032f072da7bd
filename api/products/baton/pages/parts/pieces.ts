import type { BatonSummary } from '../../../../../sql/baton/list.ts'
import { countOf } from '../../../../pages/parts/format.ts'
import { type Html, html } from '../../../../pages/parts/html.ts'

const TONES: Record<string, string> = {
  active: 'good',
  witnessed: 'good',
  exhausted: 'wait',
  expired: 'bad',
  revoked: 'bad',
}

export function renderState(state: string): Html {
  return html`<span class="pill ${TONES[state] ?? 'calm'}">${state}</span>`
}

/** `3 of 100 reads`; without a limit `3 reads`. */
export function renderUse(used: string | number, max: string | number | null, what: string): Html {
  const format = (amount: string | number) => (typeof amount === 'number' ? amount.toLocaleString('en-US') : amount)
  return html`${format(used)} <span class="dim">${max === null ? '' : `of ${format(max)}`} ${what}</span>`
}

/** The end of an id, because ids that were made at the same time begin alike. */
export function shortenId(text: string): string {
  return text.replace(/[0-9a-f-]{24}(?=[0-9a-f]{12}$)/, '…')
}

const SEARCHES = { exact: 'compared one by one', building: 'an index is being made', ann: 'indexed' }

/** Such as `1,200 vectors, 384 dimensions, cosine, svc-hash-384@1, indexed`. */
export function describeVectors(vectors: NonNullable<BatonSummary['vectors']>): string {
  const { count, dimensions, metric, model, indexState } = vectors
  return [countOf(count, 'vector'), dimensions && `${dimensions} dimensions`, metric, model, SEARCHES[indexState]]
    .filter(Boolean)
    .join(', ')
}
