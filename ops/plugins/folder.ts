import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { invalid } from '../../tasks/engines/plugin/declaration.ts'

const MANIFEST = 'plugin.json'
/** A file or a folder of the folder of plugins, with what tells that it has changed. */
export interface PluginEntry {
  file: string
  signature: string
}

/** One file of the code of a plugin. */
export interface CodeFile {
  path: string
  isExecutable: boolean
  bytes: Buffer
}

/** The code of a plugin, and the name of its content. */
export interface PluginSource {
  version: string
  files: readonly CodeFile[]
}

const MODULE = /^(?![._]).*\.[mc]?[jt]s$/
/** What editors and copies leave while they write. */
const UNFINISHED = /^[._]|~$|\.(tmp|part|swp|bak)$/
const NOT_CODE = new Set(['node_modules/.cache', '.git'])
const MAX_CODE_BYTES = 32 * 2 ** 20
const MAX_FILES = 5_000
/** Of a program with more files only the manifest is watched. */
const MAX_WATCHED_FILES = 200

/** The modules and the folders with a manifest. What is neither is left alone: `tsconfig.json`, notes, tests. */
export async function listEntries(folder: string): Promise<PluginEntry[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found = await Promise.all(entries.map(entry => readEntry(folder, entry)))
  return found.filter(entry => entry !== undefined).sort((one, other) => (one.file < other.file ? -1 : 1))
}

async function readEntry(folder: string, { name: file }: Dirent): Promise<PluginEntry | undefined> {
  if (UNFINISHED.test(file) || file === 'node_modules' || file.endsWith('.d.ts')) return undefined
  const facts = await stat(join(folder, file)).catch(() => undefined)
  if (facts?.isFile()) return MODULE.test(file) ? { file, signature: sign([[file, facts]]) } : undefined
  if (!facts?.isDirectory()) return undefined
  const paths: string[] = await listFiles(join(folder, file)).catch(() => [])
  if (!paths.includes(MANIFEST)) return undefined
  const watched = paths.length > MAX_WATCHED_FILES ? [MANIFEST] : paths
  const signed = await Promise.all(watched.map(async path => [path, await stat(join(folder, file, path))] as const))
  return { file, signature: sign(signed) }
}

function sign(
  files: readonly (readonly [path: string, facts: { size: number; mtimeMs: number; mode: number }])[],
): string {
  return files.map(([path, { size, mtimeMs, mode }]) => `${path} ${size} ${mtimeMs} ${mode}`).join('\n')
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return paths.filter(path => ![...NOT_CODE].some(skipped => path.startsWith(`${skipped}/`))).sort()
}

/** Reads the code of an entry. Throws PLUGIN_INVALID if it is too large to be kept. */
export async function readSource(folder: string, file: string): Promise<PluginSource> {
  const path = join(folder, file)
  const isModule = (await stat(path)).isFile()
  const paths = isModule ? [''] : await listFiles(path)
  if (paths.length > MAX_FILES) throw invalid(`it has ${paths.length} files; ${MAX_FILES} are allowed`)
  const files: CodeFile[] = []
  let bytes = 0
  for (const inside of paths) {
    const { size, mode } = await stat(join(path, inside))
    bytes += size
    if (bytes > MAX_CODE_BYTES) throw invalid(`it is larger than ${MAX_CODE_BYTES / 2 ** 20} MiB`)
    const content = await readFile(join(path, inside))
    files.push({ path: isModule ? nameModule(file) : inside, isExecutable: (mode & 0o100) !== 0, bytes: content })
  }
  return { version: hash(files), files }
}

/** Its module system and its language follow from its name, wherever it stands. */
function nameModule(file: string): string {
  return extname(file).endsWith('ts') ? 'plugin.mts' : 'plugin.mjs'
}

function hash(files: readonly CodeFile[]): string {
  const digest = createHash('sha256')
  for (const { path, isExecutable, bytes } of files) {
    digest.update(`${path}\0${isExecutable}\0${bytes.length}\0`).update(bytes)
  }
  return digest.digest('hex').slice(0, 32)
}
