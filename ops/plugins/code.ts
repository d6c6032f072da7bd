import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { CodeFile } from './folder.ts'

interface PackedFile {
  path: string
  isExecutable: boolean
  base64: string
}

const KEPT_MS = 3 * 86_400_000

/** The code of a version as the database keeps it. */
export async function packCode(files: readonly CodeFile[]): Promise<Buffer> {
  const packed: PackedFile[] = files.map(({ bytes, ...file }) => ({ ...file, base64: bytes.toString('base64') }))
  return promisify(gzip)(JSON.stringify(packed))
}

export async function unpackCode(code: Buffer): Promise<CodeFile[]> {
  const packed = JSON.parse((await promisify(gunzip)(code)).toString()) as PackedFile[]
  return packed.map(({ base64, ...file }) => ({ ...file, bytes: Buffer.from(base64, 'base64') }))
}

/**
 * Writes the code of a version into a folder of its own, which confined processes of other users can read. Of several
 * processes that do it at once, one wins, with the same content.
 */
export async function writeCode(root: string, version: string, files: readonly CodeFile[]): Promise<string> {
  const folder = join(root, version)
  if (existsSync(folder)) return folder
  const draft = join(root, `.${version}-${process.pid}-${performance.now()}`)
  await mkdir(draft, { recursive: true })
  for (const { path, isExecutable, bytes } of files) {
    const target = join(draft, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, bytes)
    await chmod(target, isExecutable ? 0o755 : 0o644)
  }
  await rename(draft, folder).catch(async error => {
    await rm(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
  return folder
}

/** Removes what is older than any version that a job may still have. */
export async function removeOldCode(root: string, isKept: (version: string) => boolean): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const facts = await stat(join(root, name)).catch(() => undefined)
    if (!facts || isKept(name) || Date.now() - facts.mtimeMs < KEPT_MS) continue
    await rm(join(root, name), { recursive: true, force: true })
  }
}
