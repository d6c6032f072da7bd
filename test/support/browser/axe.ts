import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Violations of accessibility rules on a page, each with the first element that has it. */
export async function findViolations(page: Page): Promise<[rule: string, element: string][]> {
  const options = "{ resultTypes: ['violations'] }"
  const run = `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`
  return (await page.evaluate(`${axeSource}; ${run}`)) as [string, string][]
}
