import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readPluginsDir } from './config.ts'
import { explainInvalidPlugin, PLUGIN_FORMS, writePlugin } from './new/plugin.ts'
import { explainInvalidProduct, writeProduct } from './new/product.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const NAME = /^([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.([a-z][a-z0-9]*(?:-[a-z0-9]+)*)$/
/** What the example operation works on. */
const KINDS = ['file', 'text', 'table']
const NOT_FAMILIES = new Set(['kit', 'formats', 'engines', 'products', 'chores', 'samples'])
/** Words that describe nothing. The family `utils` is allowed because it is part of the customer's URLs. */
export const VAGUE_WORDS = new Set(
  'util utils helper helpers common shared lib core manager service base misc'.split(' '),
)

/** One sentence that says why a name is invalid, or undefined for a valid name. */
export function explainInvalidName(name: string, exists: (path: string) => boolean): string | undefined {
  const [, family, verb] = NAME.exec(name) ?? []
  if (!family || !verb) return `"${name}" is no valid name: write family.verb in lower case, such as pdf.rotate.`
  if (NOT_FAMILIES.has(family)) return `tasks/${family} holds no operations: choose another family.`
  const words = [...(family === 'utils' ? [] : family.split('-')), ...verb.split('-')]
  const vague = words.find(word => VAGUE_WORDS.has(word))
  if (vague) return `"${vague}" says nothing about what the operation does: choose another word.`
  if (verb === 'schema') return 'schema.ts holds what the operations of a family share: choose another verb.'
  const existing = listPaths(family, verb).find(exists)
  return existing && `${existing} exists already: edit it, or choose another name.`
}

function listPaths(family: string, verb: string): [operation: string, test: string] {
  return [`tasks/${family}/${verb}.ts`, `test/tasks/${family}/${verb}.test.ts`]
}

/** Writes a working example operation and its test, for the developer to change. */
async function writeOperation(name: string, kind: string): Promise<string[]> {
  const [, family, verb] = NAME.exec(name) as unknown as [string, string, string]
  const [operation, test] = listPaths(family, verb)
  await fillTemplate(`${kind}-operation.txt`, operation, name)
  await fillTemplate(`${kind}-operation-test.txt`, test, name)
  return [operation, test]
}

async function fillTemplate(template: string, path: string, name: string): Promise<void> {
  const text = await readFile(new URL(`templates/${template}`, import.meta.url), 'utf8')
  const target = join(root, path)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, text.replaceAll('{{name}}', name).replaceAll('{{upToTest}}', '../../'), { flag: 'wx' })
}

function explainFault(name: string, kind: string, rest: readonly string[]): string | undefined {
  if (rest.length > 0) return 'Give one name at a time.'
  if (!KINDS.includes(kind)) return `There is no template for "${kind}": choose ${KINDS.join(', ')}.`
  return explainInvalidName(name, path => existsSync(join(root, path)))
}

async function makeProduct(name: string, rest: readonly string[]): Promise<number> {
  const fault = rest.length > 0 ? 'Give one name.' : explainInvalidProduct(name, path => existsSync(join(root, path)))
  if (fault) {
    process.stderr.write(`${fault}\nUsage: npm run new -- product <name>\n`)
    return 1
  }
  const files = await writeProduct(root, name)
  process.stdout.write(`${files.map(path => `${path}\n`).join('')}
An example product: something that is started for a price, and ended by its owner, by the holder of its link or by its time.
Change its table before you migrate a database that you keep. No other file has to change, and without these it is gone.
Write the current schema:  WRITE_SCHEMA=1 npx vitest run --config test/vitest.config.ts test/sql/tables.test.ts
Try it:  npm run check && npx vitest run --config test/vitest.config.ts test/products/${name}
`)
  return 0
}

async function makePlugin([name = '', form = 'module', ...rest]: string[]): Promise<number> {
  const folder = readPluginsDir()
  const fault = rest.length > 0 ? 'Give one name.' : explainInvalidPlugin(name, form, folder)
  if (fault) {
    process.stderr.write(
      `${fault}\nUsage: PLUGINS_DIR=... npm run new -- plugin <family>.<verb> [${PLUGIN_FORMS.join(' | ')}]\n`,
    )
    return 1
  }
  const path = await writePlugin(root, folder!, name, form)
  process.stdout.write(`${path}
An example that works: a service with this PLUGINS_DIR serves it within a second as POST /v1/${name.replace('.', '/')}.
Try it:  npm run -s cli -- plugin check ${path}
`)
  return 0
}

async function main([name = '', kind = 'file', ...rest]: string[]): Promise<number> {
  if (name === 'plugin') return makePlugin(kind === 'file' ? rest : [kind, ...rest])
  if (name === 'product') return makeProduct(kind === 'file' ? '' : kind, rest)
  const fault = explainFault(name, kind, rest)
  if (fault) {
    process.stderr.write(
      `${fault}\nUsage: npm run new -- <family>.<verb> [${KINDS.join(' | ')}], or npm run new -- product <name>,\nor npm run new -- plugin <family>.<verb> [module | program]\n`,
    )
    return 1
  }
  const [operation, test] = (await writeOperation(name, kind)) as [string, string]
  process.stdout.write(`${operation}
  An example that counts parts of a ${kind}: change summary, price, uses, input, output, errors, examples and run().
  List tools of pools/tools/index.ts in uses, and run() receives them. List every Problem that run() throws in errors.
${test}
  Its test: read outputs back with a different tool than the one that made them.

No other file has to change: POST /v1/${name.replace('.', '/')} is served, priced and documented from that file.
Try it:  npm run check && npx vitest run --config test/vitest.config.ts ${test}
`)
  return 0
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
