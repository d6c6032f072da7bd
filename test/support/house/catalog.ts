import type { Entry } from '#kit'
import { PROBLEMS, type ProblemCode } from '#kit'
import { codeFiles, type Repository } from './files.ts'

/** Operations without a test or an example, and routes that no test in test/routes calls. */
export function findUntested(entries: readonly Entry[], repository: Repository): string[] {
  return entries.flatMap(entry =>
    entry.kind === 'operation' ? checkOperation(entry, repository) : checkRoute(entry, repository),
  )
}

function checkOperation({ name, path, examples }: Entry, repository: Repository): string[] {
  const operation = name.replace('.', '/')
  // Those of a product are tested with it.
  const isInProduct = [...repository].some(([file, text]) => /^test\/products\//.test(file) && text.includes(path))
  return [
    isInProduct || repository.has(`test/tasks/${operation}.test.ts`)
      ? []
      : [`tasks/${operation}.ts has no test: test/tasks/${operation}.test.ts`],
    examples.length > 0 ? [] : [`tasks/${operation}.ts declares no example`],
  ].flat()
}

function checkRoute({ name, path, body, examples }: Entry, repository: Repository): string[] {
  const file = `the route ${name}`
  const start = path.replace(/[{*].*$/, '')
  const isCovered = [...repository].some(
    ([testFile, text]) => /^test\/(routes|products)\//.test(testFile) && text.includes(start),
  )
  return [
    isCovered ? [] : [`${file} has no test: no file in test/routes or test/products calls ${start}`],
    !body || examples.length > 0 ? [] : [`${file} takes a body and declares no example`],
  ].flat()
}

/** Every `sample:` that an example names. */
export function listSamples(entries: readonly Entry[]): Set<string> {
  const names = JSON.stringify(entries.map(({ examples }) => examples)).matchAll(/"sample:([^"]+)"/g)
  return new Set([...names].map(([, name]) => name!))
}

const PROBLEM_TABLES =
  /^(tasks\/kit\/platform-problems\.ts|tasks\/products\/\w+\/product\.ts|api\/surfaces\/openapi\/expected-problems\.ts)$/
const DECLARED = /\berrors:\s*\[[^\]]*\]/g

/** Codes that no code throws. */
export function findUnthrownCodes(repository: Repository): string[] {
  const code = codeFiles(repository)
    .filter(([path]) => !PROBLEM_TABLES.test(path))
    .map(([, text]) => text.replace(DECLARED, ''))
  const sql = [...repository].filter(([path]) => /^sql\/(\w+\/)?functions\/.*\.sql$/.test(path)).map(([, text]) => text)
  const all = [...code, ...sql].join('\n')
  return (Object.keys(PROBLEMS) as ProblemCode[]).flatMap(name => {
    const isThrown = new RegExp(`['"\`]${name}['"\`]`).test(all)
    return isThrown ? [] : [`${name} is in the table of problems, but nothing throws it`]
  })
}

/** Declared codes that are not in the table. */
export function findUnknownCodes(entries: readonly Entry[]): string[] {
  const declared = entries.flatMap(({ name, errors }) => errors.map(code => [name, code] as const))
  return declared
    .filter(([, code]) => !Object.hasOwn(PROBLEMS, code))
    .map(([name, code]) => `${name} declares ${code}: there is no such problem`)
}
