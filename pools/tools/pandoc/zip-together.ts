import { readFile, rm, writeFile } from 'node:fs/promises'
import { bind as bindZip } from '../zip/tool.ts'

export interface Part {
  name: string
  bytes: Uint8Array
}

/** Packs parts by way of files in the folder of the child process. */
export async function zipTogether(parts: readonly Part[]): Promise<Uint8Array> {
  const paths = parts.map((_, index) => `member-${index}`)
  const to = 'members.zip'
  try {
    for (const [index, { bytes }] of parts.entries()) await writeFile(paths[index]!, bytes)
    const files = parts.map(({ name }, index) => ({ name, path: paths[index]!, isStored: false }))
    await bindZip().write(files, { to, level: 6 })
    return await readFile(to)
  } finally {
    for (const path of [...paths, to]) await rm(path, { force: true })
  }
}
