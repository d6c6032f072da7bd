import { open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { checkSizes, type OpenArchive, sumCompressed } from '../unzip/entry.ts'
import { openZip } from '../zip/reader.ts'
import { type Part, zipTogether } from './zip-together.ts'

/** Opens a package for as long as `use` takes. Undefined if it is broken: the reader itself tells what is wrong with it. */
export async function withPackage<Result>(
  path: string,
  use: (archive: OpenArchive) => Promise<Result>,
): Promise<Result | undefined> {
  const file = await open(path)
  try {
    const archive = await openZip(file, (await file.stat()).size)
    checkSizes(archive.entries, sumCompressed(archive.entries))
    return await use(archive)
  } catch {
    return undefined
  } finally {
    await file.close()
  }
}

/** The bytes of a part as characters of Latin-1; empty if there is none. */
export async function readPart(archive: OpenArchive, name: string): Promise<string> {
  const index = archive.entries.findIndex(entry => entry.name === name)
  return index < 0 ? '' : (await buffer(archive.read(index, undefined))).toString('latin1')
}

export async function replaceParts(archive: OpenArchive, changed: readonly Part[]): Promise<Uint8Array> {
  const kept: Part[] = []
  for (const [index, { name, kind }] of archive.entries.entries()) {
    if (kind !== 'file' || changed.some(part => part.name === name)) continue
    kept.push({ name, bytes: await buffer(archive.read(index, undefined)) })
  }
  return zipTogether([...kept, ...changed])
}
