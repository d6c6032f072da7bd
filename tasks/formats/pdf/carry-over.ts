import type { InputFile } from '#kit'

export interface PageSource {
  path: string
  /** The pages that were taken, from 1. */
  pages: readonly number[]
  /** Where in the joined file they begin, from 0. */
  start: number
  /** Where each page stands in the joined file, from 0, when not one after the other from `start`. */
  positions?: readonly number[]
  title?: string
}

interface CarryOverTools {
  qpdf: { rewrite(path: string, options: { to: string }): Promise<string> }
  libpdf: {
    restoreStructure(
      path: string,
      sources: readonly PageSource[],
      options: { bookmarks: 'keep'; padToEven: boolean; to: string },
    ): Promise<string>
  }
}

/** Whether the document has content that refers to pages and must be adjusted when pages move or are removed. */
export function hasPageReferences({ facts }: InputFile): boolean {
  return (['outline', 'links', 'signature', 'tags'] as const).some(mark => facts.marks?.includes(mark))
}

/** Whether some of the documents have labels of their pages and others do not, whose pages then need numbers. */
export function mixesLabels(files: readonly InputFile[]): boolean {
  return new Set(files.map(({ facts }) => facts.marks?.includes('labels') ?? false)).size > 1
}

/**
 * Copies bookmarks, named destinations and links from the sources, as far as their pages are included, and removes
 * signatures that are no longer valid.
 */
export async function carryOver(
  path: string,
  sources: readonly PageSource[],
  { qpdf, libpdf }: CarryOverTools,
): Promise<string> {
  const options = { bookmarks: 'keep', padToEven: false, to: path.replace(/\.pdf$/, '-restored.pdf') } as const
  const restored = await libpdf.restoreStructure(path, sources, options)
  return qpdf.rewrite(restored, { to: path.replace(/\.pdf$/, '-whole.pdf') })
}

interface CarryOverEachTools {
  qpdf: { rewriteEach(files: readonly { path: string; to: string }[]): Promise<string[]> }
  libpdf: {
    restoreStructureEach(source: string, parts: readonly { path: string; pages: readonly number[] }[]): Promise<void>
  }
}

/** The same for several parts that were cut from one document. */
export async function carryOverEach(
  source: string,
  parts: readonly { path: string; pages: readonly number[] }[],
  { qpdf, libpdf }: CarryOverEachTools,
): Promise<string[]> {
  await libpdf.restoreStructureEach(source, parts)
  return qpdf.rewriteEach(parts.map(({ path }) => ({ path, to: path.replace(/\.pdf$/, '-whole.pdf') })))
}
