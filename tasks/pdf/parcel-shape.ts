import { Type } from 'typebox'
import { type OutputFile, type OutputPart, Problem } from '#kit'

const MOST_PARTS = 100
const MOST_ZIPPED = 1000

export const ZIP = 'application/zip'

export const zip = Type.Boolean({
  default: false,
  description: 'All parts in one zip, at most 1,000 instead of 100.',
})

export function checkParts(outputs: number, isZipped: boolean): void {
  const max = isZipped ? MOST_ZIPPED : MOST_PARTS
  if (outputs > max) throw new Problem('TOO_MANY_OUTPUTS', { outputs, max })
}

interface Packer {
  write(
    members: readonly { path: string; name: string; isStored: boolean }[],
    options: { to: string; level: number },
  ): Promise<unknown>
}

interface Parcel {
  zip: Packer
  isZipped: boolean
  out(name: string): string
  /** Of the zip. */
  name: string
}

/** A part while it lies in the job's folder. */
export interface PartFile {
  index: number
  path: string
  contentType: string
  name: string
}

type Told<Part> = Omit<Part, 'index' | 'path'>

/** The parts as they are, or as one zip with what is known of each beside it. */
export async function parcelOf<Part extends PartFile>(
  parts: readonly Part[],
  { zip, isZipped, out, name }: Parcel,
): Promise<{ files: (Part & OutputPart)[] } | { output: OutputFile; parts: Told<Part>[] }> {
  checkParts(parts.length, isZipped)
  if (!isZipped) return { files: parts as (Part & OutputPart)[] }
  const names = differentNames(parts.map(part => part.name))
  const members = parts.map(({ path, contentType }, index) => ({
    path,
    name: names[index]!,
    isStored: /^image\/(?!tiff)|zip/.test(contentType),
  }))
  const to = out('parcel.zip')
  await zip.write(members, { to, level: 6 })
  const told = parts.map(({ index, path: _, ...facts }) => ({ ...facts, name: names[index]! }))
  return { output: { path: to, contentType: ZIP, name }, parts: told }
}

/** A second `a.pdf` becomes `a (2).pdf`; some machines take `A.pdf` for the same. */
function differentNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map(name => {
    const [, stem = name, ending = ''] = /^(.*[^/])(\.[^./]+)$/s.exec(name) ?? []
    let free = name
    for (let number = 2; taken.has(keyOf(free)); number++) free = `${stem} (${number})${ending}`
    taken.add(keyOf(free))
    return free
  })
}

function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
