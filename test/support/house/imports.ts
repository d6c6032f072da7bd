import { builtinModules } from 'node:module'
import { posix } from 'node:path'

// Decision 0002: check import rules on code without types.

const STATIC = /^\s*(?:import|export)\b(?:[^'"`;=()]*?\bfrom)?\s*['"]([^'"]+)['"]/gm
const ON_DEMAND = /\b(?:import|require|require\.resolve|import\.meta\.resolve)\(\s*['"`]([^'"`$]+)/g

/** The import specifiers of a file's run-time code, as written. */
export function listImports(code: string): string[] {
  return [...code.matchAll(STATIC), ...code.matchAll(ON_DEMAND)].map(([, specifier]) => specifier!)
}

export type ImportTarget = { kind: 'file'; path: string } | { kind: 'builtin' | 'package'; name: string }

/** What an import refers to: a file of the repository, a built-in module or an npm package. */
export function resolveImport(from: string, specifier: string): ImportTarget {
  if (specifier === '#kit') return { kind: 'file', path: 'tasks/kit/index.ts' }
  if (specifier.startsWith('.')) return { kind: 'file', path: posix.join(posix.dirname(from), specifier) }
  const bare = specifier.replace(/^node:/, '')
  if (specifier.startsWith('node:') || builtinModules.includes(bare)) return { kind: 'builtin', name: bare }
  return { kind: 'package', name: packageNameOf(specifier) }
}

function packageNameOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}
