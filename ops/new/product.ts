import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const NAME = /^[a-z][a-z]{2,29}$/
/** Names of schemas, folders and addresses that are taken, and words that SQL or TypeScript keep for themselves. */
const TAKEN = new Set(
  'svc public step transition audit product provider job account key lane ledger object payment setting worker dashboard docs pages table order user group class default export import new delete switch'.split(
    ' ',
  ),
)

/** The template of each file, and where it goes. */
const FILES: readonly (readonly [template: string, path: string])[] = [
  ['product.ts', 'tasks/products/{{name}}/product.ts'],
  ['step.ts', 'tasks/products/{{name}}/steps/end.ts'],
  ['migration.sql', 'sql/migrations/{{number}}-{{name}}.sql'],
  ['functions.sql', 'sql/{{name}}/functions/rows.sql'],
  ['schema.sql', 'sql/{{name}}/schema.sql'],
  ['callers.ts', 'sql/{{name}}/rows.ts'],
  ['sql-steps.ts', 'sql/{{name}}/steps.ts'],
  ['schema.ts', 'api/products/{{name}}/schema.ts'],
  ['create-route.ts', 'api/products/{{name}}/routes/create.ts'],
  ['list-route.ts', 'api/products/{{name}}/routes/list.ts'],
  ['end-route.ts', 'api/products/{{name}}/routes/end.ts'],
  ['owner-page.ts', 'api/products/{{name}}/pages/list.ts'],
  ['token-page.ts', 'api/products/{{name}}/pages/link.ts'],
  ['foreign-ids.ts', 'test/products/{{name}}/foreign-ids.ts'],
  ['story.test.ts', 'test/products/{{name}}/story.test.ts'],
]

/** One sentence that says why a product cannot have that name, or undefined. */
export function explainInvalidProduct(name: string, exists: (path: string) => boolean): string | undefined {
  if (!NAME.test(name)) return `"${name}" is no valid name: write one word of lower case letters, such as bookings.`
  if (TAKEN.has(name)) return `"${name}" is taken: choose another name.`
  const existing = [`tasks/products/${name}`, `sql/${name}`, `sql/functions/${name}.sql`, `tasks/${name}`].find(exists)
  return existing && `${existing} exists already: choose another name.`
}

/** Writes a working example product, for the developer to change, and returns its files. No other file is touched. */
export async function writeProduct(root: string, name: string): Promise<string[]> {
  const words = {
    name,
    NAME: name.toUpperCase(),
    Title: name[0]!.toUpperCase() + name.slice(1),
    number: nextNumber(root),
  }
  const fill = (text: string) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_placeholder, word: string) => words[word as keyof typeof words])
  const written: string[] = []
  for (const [template, target] of FILES) {
    const path = fill(target)
    const text = await readFile(new URL(`../templates/product/${template}.txt`, import.meta.url), 'utf8')
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), fill(text), { flag: 'wx' })
    written.push(path)
  }
  format(root, written)
  return written
}

/** How lines are broken depends on the length of the name. */
function format(root: string, files: readonly string[]): void {
  const biome = join(root, 'node_modules/.bin/biome')
  const code = files.filter(path => path.endsWith('.ts'))
  execFileSync(biome, ['check', '--write', '--vcs-enabled=false', ...code], { cwd: root, stdio: 'ignore' })
}

/** Migrations are applied in the order of their numbers, after the last of the upgrades. */
function nextNumber(root: string): string {
  const files = ['sql/migrations/upgrades', 'sql/migrations'].flatMap(folder => readdirSync(join(root, folder)))
  const numbers = files.map(file => Number.parseInt(file, 10))
  return String(Math.max(...numbers.filter(Number.isFinite)) + 1).padStart(4, '0')
}
