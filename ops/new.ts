import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const NAME = /^([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.([a-z][a-z0-9]*(?:-[a-z0-9]+)*)$/
const NOT_FAMILIES = new Set(['kit', 'chores'])
/** They say nothing; the family `utils` alone is the customer's own address. */
export const EMPTY_WORDS = new Set(
  'util utils helper helpers common shared lib core manager service handler base misc'.split(' '),
)

/** Why a name will not do, in a sentence; nothing where it will. */
export function refusal(name: string, exists: (path: string) => boolean): string | undefined {
  const [, family, verb] = NAME.exec(name) ?? []
  if (!family || !verb) return `"${name}" is no name: write family.verb in small letters, such as pdf.rotate.`
  if (NOT_FAMILIES.has(family)) return `tasks/${family} holds no operations: choose another family.`
  const words = [...(family === 'utils' ? [] : family.split('-')), ...verb.split('-')]
  const empty = words.find(word => EMPTY_WORDS.has(word))
  if (empty) return `"${empty}" says nothing about what the operation does: choose another word.`
  if (/(^|-)shape$/.test(verb)) return 'Files named shape are what a family shares: choose another verb.'
  const taken = placesOf(family, verb).find(exists)
  return taken && `${taken} is there already: edit it, or choose another name.`
}

function placesOf(family: string, verb: string): [operation: string, test: string] {
  return [`tasks/${family}/${verb}.ts`, `test/tasks/${family}/${verb}.test.ts`]
}

/** Writes an operation that works and its test, to be turned into the one that is wanted. */
async function write(name: string): Promise<string[]> {
  const [, family, verb] = NAME.exec(name) as unknown as [string, string, string]
  const [operation, test] = placesOf(family, verb)
  await fill('operation.txt', operation, name)
  await fill('operation-test.txt', test, name)
  return [operation, test]
}

async function fill(template: string, path: string, name: string): Promise<void> {
  const text = await readFile(new URL(`templates/${template}`, import.meta.url), 'utf8')
  const target = join(root, path)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, text.replaceAll('{{name}}', name).replaceAll('{{upToTest}}', '../../'), { flag: 'wx' })
}

async function main([name = '', ...rest]: string[]): Promise<number> {
  const wrong = rest.length > 0 ? 'One name at a time.' : refusal(name, path => existsSync(join(root, path)))
  if (wrong) {
    process.stderr.write(`${wrong}\nUsage: npm run new -- <family>.<verb>\n`)
    return 1
  }
  const [operation, test] = (await write(name)) as [string, string]
  process.stdout.write(`${operation}
  It counts bytes or lines; change summary, price, uses, input, output, errors, examples and run().
  Name a tool of pools/tools/index.ts in uses, and run() is given it. Every Problem it throws stands in errors.
${test}
  Its test; read outputs back with another tool than the one that made them.

Nothing else needs an edit: POST /v1/${name.replace('.', '/')} is served, priced and documented from that file.
Try it:  npm run check && npx vitest run --config test/vitest.config.ts ${test}
`)
  return 0
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
