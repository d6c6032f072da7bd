import { Type } from 'typebox'
import { type OutputFile, type OutputPart, Problem } from '#kit'
import type { ArchiveMember } from '../archive/member.ts'
import { TakenNames } from '../archive/names.ts'

const MAX_PARTS = 100
const MAX_ZIPPED_PARTS = 1000

export const ZIP = 'application/zip'

export const zip = Type.Boolean({
  default: false,
  description: 'Return all parts in one zip; the limit is then 1,000 parts instead of 100.',
})

export function checkParts(outputs: number, isZipped: boolean): void {
  const max = isZipped ? MAX_ZIPPED_PARTS : MAX_PARTS
  if (outputs > max) throw new Problem('TOO_MANY_OUTPUTS', { outputs, max })
}

interface ZipWriter {
  write(members: readonly ArchiveMember[], options: { to: string; level: number }): Promise<unknown>
}

interface PackagingOptions {
  zip: ZipWriter
  isZipped: boolean
  out(name: string): string
  /** Name of the zip. */
  name: string
}

/** A part as a file in the job's folder. */
interface PartFile {
  index: number
  path: string
  contentType: string
  name: string
}

type PartDetails<Part> = Omit<Part, 'index' | 'path'>

/** Returns the parts as separate files, or as one zip with the details of each part beside it. */
export async function packageParts<Part extends PartFile>(
  parts: readonly Part[],
  { zip, isZipped, out, name }: PackagingOptions,
): Promise<{ files: (Part & OutputPart)[] } | { output: OutputFile; parts: PartDetails<Part>[] }> {
  checkParts(parts.length, isZipped)
  if (!isZipped) return { files: parts as (Part & OutputPart)[] }
  const names = makeNamesUnique(parts.map(part => part.name))
  const members = parts.map(({ path, contentType }, index) => ({
    path,
    name: names[index]!,
    isStored: /^image\/(?!tiff)|zip/.test(contentType),
  }))
  const to = out('parts.zip')
  await zip.write(members, { to, level: 6 })
  const details = parts.map(({ index, path: _, ...facts }) => ({ ...facts, name: names[index]! }))
  return { output: { path: to, contentType: ZIP, name }, parts: details }
}

/** A second `a.pdf` becomes `a (2).pdf`. */
function makeNamesUnique(names: readonly string[]): string[] {
  const taken = new TakenNames()
  return names.map(name => {
    const freeName = taken.findFreeName(name)
    taken.reserve(freeName)
    return freeName
  })
}
