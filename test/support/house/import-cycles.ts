import type { Repository } from './files.ts'
import { listProducts, productOf } from './import-rules.ts'
import { resolveImport } from './imports.ts'

const ANY_IMPORT = /^\s*(?:import|export)\b[^'"`;=()]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]/gm

type Graph = ReadonlyMap<string, readonly string[]>

/** Import cycles, including type imports: no file of a cycle can be understood without the others. */
export function findImportCycles(repository: Repository): string[][] {
  return findCycles(buildGraph(repository))
}

/** Products that use each other: neither can be understood, or go, without the other. */
export function findProductCycles(repository: Repository): string[][] {
  const products = listProducts(repository)
  const graph = new Map([...products].map(name => [name, new Set<string>()]))
  for (const [path, targets] of buildGraph(repository)) {
    const name = productOf(path, products)
    const used = targets.map(target => productOf(target, products)).filter(other => other !== undefined)
    for (const other of used) if (name !== undefined && other !== name) graph.get(name)!.add(other)
  }
  return findCycles(new Map([...graph].map(([name, others]) => [name, [...others]])))
}

function buildGraph(repository: Repository): Graph {
  const graph = new Map<string, string[]>()
  for (const [path, text] of repository) {
    if (/\.(ts|mjs)$/.test(path)) graph.set(path, listImportedFiles(path, text, repository))
  }
  return graph
}

function findCycles(graph: Graph): string[][] {
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
