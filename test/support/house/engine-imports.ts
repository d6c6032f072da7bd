import { type Repository, toRuntimeCode } from './files.ts'
import { listImports, resolveImport } from './imports.ts'

const ENGINE = /^pools\/tools\/[^/]+\/engine\.ts$/
/** It checks results against schemas of operators, so it has them. */
const WITH_SCHEMAS = 'pools/tools/plugin/engine.ts'
const SLOW: readonly (readonly [specifier: RegExp, advice: string])[] = [
  [/^typebox(\/|$)/, 'move the schema to a file of its own'],
  [/^echarts$/, 'import the one file of it in dist'],
]

/** Engines start in processes of their own, again and again, so they load nothing that takes long and is not needed there. */
export function findSlowEngines(repository: Repository): string[] {
  const engines = [...repository.keys()].filter(path => ENGINE.test(path) && path !== WITH_SCHEMAS)
  return engines.flatMap(engine =>
    listLoaded(engine, repository).flatMap(({ path, specifier }) =>
      SLOW.filter(([slow]) => slow.test(specifier)).map(
        ([, advice]) => `${engine} loads ${specifier} by ${path}: ${advice}`,
      ),
    ),
  )
}

interface LoadedImport {
  path: string
  specifier: string
}

/** All imports of a file and of those that it leads to. */
function listLoaded(start: string, repository: Repository): LoadedImport[] {
  const seen = new Set([start])
  const loaded: LoadedImport[] = []
  for (const path of seen) {
    for (const specifier of listImports(toRuntimeCode(path, repository.get(path) ?? ''))) {
      loaded.push({ path, specifier })
      const target = resolveImport(path, specifier)
      if (target.kind === 'file' && target.path.endsWith('.ts')) seen.add(withoutWholeKit(target.path))
    }
  }
  return loaded
}

/** What `#kit` means for an engine. */
function withoutWholeKit(path: string): string {
  return path === 'tasks/kit/index.ts' ? 'tasks/kit/engine.ts' : path
}
