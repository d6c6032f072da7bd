/** Pages wanted in one file. */
export interface Cut {
  pages: readonly number[]
}

export interface Group<Wanted extends Cut> {
  /** In ascending order, each once. */
  pages: number[]
  /** The cuts, their pages counted within the group. */
  cuts: Wanted[]
}

const FEW = 64
const GROUP = 32

/**
 * Many cuts of one file by way of its pieces: every cut reads the whole file it is taken from, so that a thousand cuts
 * of a thousand pages would take a minute, and by way of thirty pieces they take seconds. Few cuts go straight.
 */
export function groupsOf<Wanted extends Cut>(cuts: readonly Wanted[]): Group<Wanted>[] | undefined {
  if (cuts.length < FEW) return undefined
  const groups: Group<Wanted>[] = []
  for (let from = 0; from < cuts.length; from += GROUP) {
    const some = cuts.slice(from, from + GROUP)
    const pages = [...new Set(some.flatMap(cut => cut.pages))].sort((a, b) => a - b)
    const places = new Map(pages.map((page, index) => [page, index + 1]))
    groups.push({ pages, cuts: some.map(cut => ({ ...cut, pages: cut.pages.map(page => places.get(page)!) })) })
  }
  const inGroups = groups.reduce((sum, { pages }) => sum + pages.length, 0)
  const inAll = new Set(groups.flatMap(({ pages }) => pages)).size
  return inGroups > 2 * inAll ? undefined : groups
}
