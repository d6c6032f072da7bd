import type { InputFile, Tools } from '#kit'

export interface Joinable {
  /** As the engines read it. */
  path: string
  pages: number
  facts: InputFile['facts']
}

type JoiningTools = Pick<Tools, 'libpdf' | 'qpdf'> & { out(name: string): string }

/** One document of all pages, with the bookmarks, links, layers and attachments of each. */
export async function joinDocuments<File extends Joinable>(
  files: readonly File[],
  { libpdf, qpdf, out }: JoiningTools,
): Promise<[{ path: string; name: string }]> {
  let start = 0
  const parts = files.map(({ path, pages }) => {
    const part = { path, pages: Array.from({ length: pages }, (_, index) => index + 1), start }
    start += pages
    return part
  })
  const attachmentsFrom = files
    .filter(({ facts }, index) => index > 0 && facts.marks?.includes('attachments'))
    .map(({ path }) => path)
  const joined = await qpdf.join(parts, { to: out('joined.pdf'), attachmentsFrom })
  const options = { bookmarks: 'keep', padToEven: false, to: out('restored.pdf') } as const
  return [{ path: await libpdf.restoreStructure(joined, parts, options), name: 'joined.pdf' }]
}
