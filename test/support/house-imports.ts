import { builtinModules } from 'node:module'
import { posix } from 'node:path'

const STATIC = /^\s*(?:import|export)\b(?:[^'"`;=()]*?\bfrom)?\s*['"]([^'"]+)['"]/gm
const ON_DEMAND = /\b(?:import|require|require\.resolve|import\.meta\.resolve)\(\s*['"`]([^'"`$]+)/g

/** What a file asks for at run time, as written. */
export function importsOf(code: string): string[] {
  return [...code.matchAll(STATIC), ...code.matchAll(ON_DEMAND)].map(([, specifier]) => specifier!)
}

export type Target = { kind: 'file'; path: string } | { kind: 'builtin' | 'package'; name: string }

/** Where an import leads: to a file of the house, a built-in module or an npm package. */
export function targetOf(from: string, specifier: string): Target {
  if (specifier === '#kit') return { kind: 'file', path: 'tasks/kit/index.ts' }
  if (specifier.startsWith('.')) return { kind: 'file', path: posix.join(posix.dirname(from), specifier) }
  const bare = specifier.replace(/^node:/, '')
  if (specifier.startsWith('node:') || builtinModules.includes(bare)) return { kind: 'builtin', name: bare }
  return { kind: 'package', name: packageOf(specifier) }
}

export function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}
