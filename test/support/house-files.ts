import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The files of the house by path; rules read this, so that a test can also show them a bad house. */
export type House = ReadonlyMap<string, string>

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const ROOMS = ['api', 'ops', 'pools', 'sql', 'tasks', 'test', 'workers'] as const
const READABLE = /\.(ts|mjs|js|sql|json|md)$/
const SKIPPED = new Set(['node_modules', 'samples'])

export function readHouse(): House {
  const files = new Map<string, string>()
  for (const name of readdirSync(ROOT)) files.set(name, READABLE.test(name) ? read(name) : '')
  for (const room of ROOMS) for (const path of walk(room)) files.set(path, READABLE.test(path) ? read(path) : '')
  for (const room of ROOMS) files.delete(room)
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

/** The code files outside of tests, unless these are asked for. */
export function codeFiles(house: House, withTests = false): [path: string, code: string][] {
  return [...house]
    .filter(([path]) => /\.(ts|mjs)$/.test(path) && (withTests || !path.startsWith('test/')))
    .map(([path, text]) => [path, runtimeCode(path, text)])
}

const kept = new Map<string, string>()

/** What is left at run time: without types, type-only imports and comments. */
export function runtimeCode(path: string, text: string): string {
  const known = kept.get(text)
  if (known !== undefined) return known
  const code = withoutComments(path.endsWith('.ts') ? stripTypeScriptTypes(text) : text)
  kept.set(text, code)
  return code
}

const COMMENT = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(?<![\\/])\/\/[^\n]*/g

function withoutComments(code: string): string {
  return code.replace(COMMENT, (_whole, literal: string | undefined) => literal ?? '')
}

const LITERAL = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g

/** A program given as text of several lines runs elsewhere, in an environment of its own. */
export function withoutPrograms(code: string): string {
  return code.replace(LITERAL, literal => (literal.startsWith('`') && literal.includes('\n') ? '``' : literal))
}
