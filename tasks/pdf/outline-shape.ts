import { type TSchema, Type } from 'typebox'
import { Problem } from '#kit'

export interface Bookmark {
  title: string
  page?: number | null
  top?: number
  open?: boolean
  bold?: boolean
  italic?: boolean
  color?: string
  children?: Bookmark[]
}

const DEEPEST = 10
const MOST = 5000

/** A tree of bookmarks; what is read can be written again as it is. */
export const Bookmarks = Type.Unsafe<Bookmark[]>(level(DEEPEST))

/** Deeper trees than may be written can be read; below this level their schema says no more. */
function level(left: number): TSchema {
  const children = left > 1 ? level(left - 1) : Type.Array(Type.Unknown())
  return Type.Array(
    Type.Object({
      title: Type.String({ maxLength: 512 }),
      page: Type.Optional(Type.Unsafe({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] })),
      top: Type.Optional(Type.Number({ description: 'Points from the top edge of the page.' })),
      open: Type.Optional(Type.Boolean()),
      bold: Type.Optional(Type.Boolean()),
      italic: Type.Optional(Type.Boolean()),
      color: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
      children: Type.Optional(children),
    }),
  )
}

/** How many there are and how deep they go. */
export function sizeOf(bookmarks: readonly Bookmark[]): { count: number; maxDepth: number } {
  const inner = bookmarks.map(({ children = [] }) => sizeOf(children))
  const count = inner.reduce((sum, size) => sum + size.count, bookmarks.length)
  return { count, maxDepth: bookmarks.length === 0 ? 0 : 1 + Math.max(...inner.map(size => size.maxDepth)) }
}

/** Below the deepest level the schema no longer says what stands there, so nothing there is looked at. */
export function checkBookmarks(bookmarks: readonly Bookmark[], pageCount: number): void {
  let count = 0
  const check = (level: readonly Bookmark[], depth: number): void => {
    if (level.length > 0 && depth > DEEPEST) throw new Problem('INVALID_BOOKMARKS', { deepest: DEEPEST })
    count += level.length
    if (count > MOST) throw new Problem('INVALID_BOOKMARKS', { limit: MOST })
    for (const { page, children = [] } of level) {
      if (page && page > pageCount) throw new Problem('BAD_RANGE', { segment: `${page}`, pageCount })
      check(children, depth + 1)
    }
  }
  check(bookmarks, 1)
}
