interface Extract {
  pages: readonly number[]
}

interface ExtractGroup<Item extends Extract> {
  /** All pages of the group, ascending and without duplicates. */
  pages: number[]
  /** The extracts, with page numbers that count within the group. */
  extracts: Item[]
}

const MIN_GROUPED_EXTRACTS = 64
const GROUP_SIZE = 32

/**
 * Groups many extracts of one file, so that qpdf first extracts a piece per group and then the parts from the pieces.
 * Every extract reads its whole source: a thousand extracts of a thousand pages take a minute directly, and seconds by
 * way of thirty pieces. Returns undefined if grouping does not pay.
 */
export function groupExtracts<Item extends Extract>(extracts: readonly Item[]): ExtractGroup<Item>[] | undefined {
  if (extracts.length < MIN_GROUPED_EXTRACTS) return undefined
  const groups: ExtractGroup<Item>[] = []
  for (let from = 0; from < extracts.length; from += GROUP_SIZE) {
    const batch = extracts.slice(from, from + GROUP_SIZE)
    const pages = [...new Set(batch.flatMap(extract => extract.pages))].sort((a, b) => a - b)
    const positions = new Map(pages.map((page, index) => [page, index + 1]))
    const regrouped = batch.map(extract => ({ ...extract, pages: extract.pages.map(page => positions.get(page)!) }))
    groups.push({ pages, extracts: regrouped })
  }
  const groupedPages = groups.reduce((sum, { pages }) => sum + pages.length, 0)
  const distinctPages = new Set(groups.flatMap(({ pages }) => pages)).size
  return groupedPages > 2 * distinctPages ? undefined : groups
}
