import { type TSchema, Type } from 'typebox'
import { Problem } from '#kit'
import type { NewBookmark } from '../../formats/pdf/document.ts'

const MAX_DEPTH = 10
const MAX_BOOKMARKS = 5000

export const Bookmarks = Type.Unsafe<NewBookmark[]>(buildLevelSchema(MAX_DEPTH))

/** The schema ends at the last level, because documents may have deeper trees than can be written. */
function buildLevelSchema(levelsLeft: number): TSchema {
  const children = levelsLeft > 1 ? buildLevelSchema(levelsLeft - 1) : Type.Array(Type.Unknown())
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

export function measureTree(bookmarks: readonly NewBookmark[]): { count: number; maxDepth: number } {
  const childSizes = bookmarks.map(({ children = [] }) => measureTree(children))
  const count = childSizes.reduce((sum, size) => sum + size.count, bookmarks.length)
  return { count, maxDepth: bookmarks.length === 0 ? 0 : 1 + Math.max(...childSizes.map(size => size.maxDepth)) }
}

/** Rejects entries below the last level before reading them: the schema has not validated those. */
export function checkBookmarks(bookmarks: readonly NewBookmark[], pageCount: number): void {
  let count = 0
  const check = (level: readonly NewBookmark[], depth: number): void => {
    if (level.length > 0 && depth > MAX_DEPTH) throw new Problem('INVALID_BOOKMARKS', { deepest: MAX_DEPTH })
    count += level.length
    if (count > MAX_BOOKMARKS) throw new Problem('INVALID_BOOKMARKS', { limit: MAX_BOOKMARKS })
    for (const { page, children = [] } of level) {
      if (page && page > pageCount) throw new Problem('BAD_RANGE', { segment: `${page}`, pageCount })
      check(children, depth + 1)
    }
  }
  check(bookmarks, 1)
}
