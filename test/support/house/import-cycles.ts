import type { Repository } from './files.ts'
import { resolveImport } from './imports.ts'

const ANY_IMPORT = /^\s*(?:import|export)\b[^'"`;=()]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]/gm

type Graph = ReadonlyMap<string, readonly string[]>

/** Import cycles, including type imports: no file of a cycle can be understood without the others. */
export function findImportCycles(repository: Repository): string[][] {
  const graph = new Map<string, string[]>()
  for (const [path, text] of repository) {
    if (/\.(ts|mjs)$/.test(path)) graph.set(path, listImportedFiles(path, text, repository))
  }
  const reached = new Map([...graph.keys()].map(path => [path, findReachable(path, graph)]))
  const cycles = new Map<string, string[]>()
  for (const [path, others] of reached) {
    if (!others.has(path)) continue
    const cycle = [...others].filter(other => reached.get(other)!.has(path)).sort()
    cycles.set(cycle.join(), cycle)
  }
  return [...cycles.values()]
}

function listImportedFiles(path: string, text: string, repository: Repository): string[] {
  return [...text.matchAll(ANY_IMPORT)].flatMap(([, from, bare]) => {
    const target = resolveImport(path, (from ?? bare)!)
    return target.kind === 'file' && repository.has(target.path) ? [target.path] : []
  })
}

function findReachable(start: string, graph: Graph): Set<string> {
  const reached = new Set<string>()
  const queue = [...graph.get(start)!]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    queue.push(...(graph.get(path) ?? []))
  }
  return reached
}
