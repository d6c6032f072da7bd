import type { InputFile } from '#kit'

export interface Origin {
  path: string
  /** The pages that were taken, from 1. */
  pages: readonly number[]
  start: number
  places?: readonly number[]
}

export interface Carriers {
  qpdf: { tidy(path: string, options: { to: string }): Promise<string> }
  libpdf: {
    stitch(
      path: string,
      origins: readonly Origin[],
      options: { bookmarks: 'keep'; padToEven: boolean; to: string },
    ): Promise<string>
  }
}

/** What refers to pages must be put right when pages move or go. */
export function refersToPages({ facts }: InputFile): boolean {
  return (['outline', 'links', 'signature', 'tags'] as const).some(mark => facts.marks?.includes(mark))
}

/** Bookmarks, names and links of the origins, as far as their pages are there; signatures that no longer hold go. */
export async function carried(path: string, origins: readonly Origin[], { qpdf, libpdf }: Carriers): Promise<string> {
  const options = { bookmarks: 'keep', padToEven: false, to: path.replace(/\.pdf$/, '-stitched.pdf') } as const
  const stitched = await libpdf.stitch(path, origins, options)
  return qpdf.tidy(stitched, { to: path.replace(/\.pdf$/, '-whole.pdf') })
}

interface ManyCarriers {
  qpdf: { tidyEach(files: readonly { path: string; to: string }[]): Promise<string[]> }
  libpdf: { stitchEach(source: string, cuts: readonly { path: string; pages: readonly number[] }[]): Promise<void> }
}

/** The same for parts that were each cut out of one document. */
export async function carriedEach(
  source: string,
  cuts: readonly { path: string; pages: readonly number[] }[],
  { qpdf, libpdf }: ManyCarriers,
): Promise<string[]> {
  await libpdf.stitchEach(source, cuts)
  return qpdf.tidyEach(cuts.map(({ path }) => ({ path, to: path.replace(/\.pdf$/, '-whole.pdf') })))
}
