import { codeFiles, type Repository } from './files.ts'

const EXPORT = /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) ([\w$]+)/gm
const WORD = /[A-Za-z_$][\w$]*/g

/**
 * Names that are exported, outside of the tests, and occur in no other file, so that nobody can import them. A name that another file only has
 * for something of its own is not found: this rule misses some, but is never wrong.
 */
export function findUnusedExports(repository: Repository): string[] {
  const paths = codeFiles(repository, true).map(([path]) => path)
  const files = paths.map(path => ({ path, words: new Set(repository.get(path)!.match(WORD)) }))
  const uses = new Map<string, number>()
  for (const { words } of files) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1)
  return paths
    .filter(path => !path.startsWith('test/'))
    .flatMap(path => [...repository.get(path)!.matchAll(EXPORT)].map(([, name]) => ({ path, name: name! })))
    .filter(({ name }) => uses.get(name) === 1)
    .map(({ path, name }) => `${path} exports ${name}, which nothing else uses`)
}
