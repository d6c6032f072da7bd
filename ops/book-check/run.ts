import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { countBooks, listLogFaults, listViolations, recordBookCheck } from '../../sql/installation/books.ts'
import { products } from '../../tasks/products/index.ts'
import type { CheckContext, Checked, ProductCheck } from './contract.ts'
import { checkObjects } from './objects.ts'

const PRODUCTS = fileURLToPath(new URL('../products/', import.meta.url))

/** Checks the rules of the ledger and of the products, the logs, the objects and what products add, and records what it found. */
export async function checkBooks(context: CheckContext): Promise<Checked> {
  const startedAt = new Date()
  const parts: Checked[] = [
    { counts: await countBooks(context.db), faults: await listViolations(context.db) },
    { counts: {}, faults: await listLogFaults(context.db) },
    await checkObjects(context),
  ]
  for (const check of await loadProductChecks()) parts.push(await check(context))
  const checked = {
    counts: Object.assign({}, ...parts.map(({ counts }) => counts)) as Checked['counts'],
    faults: parts.flatMap(({ faults }) => faults),
  }
  await recordBookCheck(context.db, startedAt, checked)
  return checked
}

async function loadProductChecks(): Promise<ProductCheck[]> {
  const files = products.map(({ name }) => `${PRODUCTS}${name}/book-check.ts`).filter(file => existsSync(file))
  const modules = await Promise.all(files.map(file => import(file) as Promise<{ default: ProductCheck }>))
  return modules.map(module => module.default)
}
