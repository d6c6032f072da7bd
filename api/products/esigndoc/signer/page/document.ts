import type { SignerField, SigningView } from '../../../../../sql/esigndoc/signing.ts'
import { isMark } from '../../../../../tasks/products/esigndoc/values.ts'
import { type Html, html } from '../../../../pages/parts/html.ts'
import { fill } from '../../texts/choose.ts'
import type { Texts } from '../../texts/en.ts'

export interface SignerPage {
  /** Of the link. */
  token: string
  view: SigningView
  texts: Texts
  language: string
}

/** The fields of a signer in the order in which they are read: by file and page, line by line, in the direction of the page. */
export function sortFields(
  fields: readonly SignerField[],
  files: readonly Pick<SigningView['files'][number], 'pages'>[],
): SignerField[] {
  const middle = ({ y, h }: SignerField) => y + h / 2
  const downwards = fields.toSorted(
    (one, other) => one.file - other.file || one.page - other.page || middle(one) - middle(other),
  )
  const lines: SignerField[][] = []
  for (const field of downwards) {
    const first = lines.at(-1)?.[0]
    const isBeside = first?.file === field.file && first.page === field.page && field.y < middle(first)
    if (isBeside) lines.at(-1)!.push(field)
    else lines.push([field])
  }
  const isFromRight = ({ file, page }: SignerField) => files[file]?.pages[page - 1]?.isRightToLeft === true
  return lines.flatMap(line =>
    line.toSorted((one, other) => (isFromRight(one) ? other.x + other.w - (one.x + one.w) : one.x - other.x)),
  )
}

/** The id of a field on the page. Its own may have characters that style sheets read otherwise. */
export function elementOf(fields: readonly SignerField[], { id }: Pick<SignerField, 'id'>): string {
  return `f${fields.findIndex(one => one.id === id)}`
}

/** The document page by page, as images that are fetched when they are near, with a mark where each field is. */
export function renderPages({ token, view, texts }: SignerPage): Html {
  const leaves = view.files.flatMap(({ name, pages }, file) =>
    pages.map(({ number, width, height }) => {
      const address = `/sign/${encodeURIComponent(token)}/page/${file}/${number}`
      const alt = fill(texts.pageOf, { page: number, pages: pages.length, file: name })
      const isFirst = file === 0 && number === 1
      const own = view.fields.filter(field => field.file === file && field.page === number)
      return html`<figure class="leaf" id="p${file}-${number}"><img src="${address}?w=800" srcset="${address}?w=800 800w, ${address}?w=1600 1600w" sizes="(max-width: 62rem) 96vw, 46rem" width="${Math.round(width)}" height="${Math.round(height)}" alt="${alt}" ${isFirst ? html`fetchpriority="high"` : html`loading="lazy"`} decoding="async">${own.map(field => renderSpot(field, view))}</figure>`
    }),
  )
  return html`<section class="leaves" aria-label="${texts.document}">${leaves}</section>`
}

function renderSpot(field: SignerField, { fields, recipient }: SignerPage['view']): Html {
  const element = elementOf(fields, field)
  const isGiven = !field.isOwn || field.readOnly || !recipient.canAct
  const shown = isMark(field) ? isGiven && !field.readOnly && '✓' : showValue(field)
  if (isGiven) return html`<span class="spot given" dir="auto" id="at-${element}">${shown}</span>`
  return html`<a class="spot own" dir="auto" id="at-${element}" href="#${element}" tabindex="-1" aria-hidden="true">${shown}</a>`
}

function showValue({ type, value, label }: SignerField): string {
  if (type === 'checkbox' || type === 'radio') return value === true ? '✕' : ''
  if (type === 'heading') return String(value ?? label ?? '')
  if (type === 'attachment' || type === 'stamp') return value === null ? '' : '📎'
  return String(value ?? '')
}

/** Where the fields stand: a style sheet, because the policy of the page allows no style in its markup. */
export function writePlaces(fields: readonly SignerField[]): string {
  const percent = (value: number) => `${value.toFixed(3)}%`
  return fields
    .map(field => {
      const { x, y, w, h } = field
      const element = elementOf(fields, field)
      return `#at-${element}{left:${percent(x)};top:${percent(y)};width:${percent(w)};height:${percent(h)}}`
    })
    .join('\n')
}
