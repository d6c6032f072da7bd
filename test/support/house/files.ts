import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The files of the repository by path. Rules read this map, so that a test can also pass a faulty one. */
export type Repository = ReadonlyMap<string, string>

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const TOP_FOLDERS = ['api', 'ops', 'pools', 'sql', 'tasks', 'test', 'workers'] as const
const READABLE = /\.(ts|mjs|js|sql|json|md)$/
const SKIPPED = new Set(['node_modules', 'samples'])

export function readRepository(): Repository {
  const files = new Map<string, string>()
  for (const name of readdirSync(ROOT)) files.set(name, READABLE.test(name) ? read(name) : '')
  for (const folder of TOP_FOLDERS)
    for (const path of walk(folder)) files.set(path, READABLE.test(path) ? read(path) : '')
  for (const folder of TOP_FOLDERS) files.delete(folder)
  return files
}

function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : walk(path)
    return [path]
  })
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** The code files; those of tests only with `withTests`. */
export function codeFiles(repository: Repository, withTests = false): [path: string, code: string][] {
  return [...repository]
    .filter(([path]) => /\.(ts|mjs)$/.test(path) && (withTests || !path.startsWith('test/')))
    .map(([path, text]) => [path, toRuntimeCode(path, text)])
}

const cache = new Map<string, string>()

/** The code that remains at run time: without types, type-only imports and comments. */
export function toRuntimeCode(path: string, text: string): string {
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  const code = withoutComments(path.endsWith('.ts') ? stripTypeScriptTypes(text) : text)
  cache.set(text, code)
  return code
}

const COMMENT = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(?<![\\/])\/\/[^\n]*/g

function withoutComments(code: string): string {
  return code.replace(COMMENT, (_whole, literal: string | undefined) => literal ?? '')
}

const LITERAL = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g

/** Empties multi-line template literals: they hold programs that run in another process, with its own environment. */
export function withoutEmbeddedPrograms(code: string): string {
  return code.replace(LITERAL, literal => (literal.startsWith('`') && literal.includes('\n') ? '``' : literal))
}
