import { type InputFile, Problem, pagesOf } from '#kit'
import { pageCountOf } from './shape.ts'

export interface ImagesInput {
  file: InputFile
  pages: string
  format: 'original' | 'png' | 'jpeg'
  minSide: number
  dedupe: boolean
}

/** One drawing of a picture on a page. */
export interface Drawn {
  page: number
  place: number
  kind: 'image' | 'stencil'
  width: number
  height: number
  color: string
  bits: number
  object?: [number: number, generation: number]
  dpi: number
}

/** A picture that is wanted, where it is drawn first. */
export interface Wanted extends Drawn {
  occurrences: number
}

const MOST_PIXELS = 200_000_000

export function pagesToSearch({ file, pages }: Pick<ImagesInput, 'file' | 'pages'>): number[] {
  return [...new Set(pagesOf(pages, pageCountOf(file)))]
}

/** In the order they are drawn; the same picture once, unless every drawing of it is asked for. */
export function wantedOf(drawn: readonly Drawn[], input: ImagesInput): Wanted[] {
  const pages = new Set(pagesToSearch(input))
  const large = drawn.filter(each => pages.has(each.page) && Math.min(each.width, each.height) >= input.minSide)
  const times = new Map<string, number>()
  for (const each of large) times.set(keyOf(each), (times.get(keyOf(each)) ?? 0) + 1)
  const seen = new Set<string>()
  const wanted = large.filter(each => !input.dedupe || (!seen.has(keyOf(each)) && seen.add(keyOf(each))))
  for (const { width, height, page } of wanted) {
    const actual = width * height
    if (actual > MOST_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MOST_PIXELS, actual, page })
  }
  return wanted.map(each => ({ ...each, occurrences: times.get(keyOf(each))! }))
}

/** What stands in the drawing of a page itself is a picture of its own each time. */
export function keyOf({ object, page, place }: Drawn): string {
  return object ? object.join(' ') : `${page}/${place}`
}

/** Each object once, however often it is wanted. */
export function objectsOf(wanted: readonly Wanted[]): Wanted[] {
  const all = wanted.filter(({ object }) => object)
  return [...new Map(all.map(each => [keyOf(each), each])).values()]
}

/** Poppler writes all that a page draws to get at what stands in its drawing: that much must be bearable. */
export function inlineByPage(wanted: readonly Wanted[], drawn: readonly Drawn[]): Map<number, Wanted[]> {
  const pages = new Map<number, Wanted[]>()
  for (const each of wanted.filter(({ object }) => !object)) {
    pages.set(each.page, [...(pages.get(each.page) ?? []), each])
  }
  for (const page of pages.keys()) {
    const actual = drawn.reduce((sum, each) => sum + (each.page === page ? each.width * each.height : 0), 0)
    if (actual > MOST_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MOST_PIXELS, actual, page })
  }
  return pages
}

const SPACES: Record<string, string> = {
  index: 'indexed',
  sep: 'separation',
  devn: 'device-n',
  '-': 'mask',
}

export const KINDS = {
  png: { contentType: 'image/png', ending: 'png' },
  jpeg: { contentType: 'image/jpeg', ending: 'jpg' },
  jp2: { contentType: 'image/jp2', ending: 'jp2' },
} as const

export function partOf(each: Wanted, { path, kind }: { path: string; kind: keyof typeof KINDS }, index: number) {
  const { page, occurrences, width, height, dpi, color } = each
  const { contentType, ending } = KINDS[kind]
  const colorSpace = SPACES[color] ?? color
  const name = `image-${index + 1}.${ending}`
  return { index, path, contentType, name, page, occurrences, width, height, dpi, colorSpace }
}
