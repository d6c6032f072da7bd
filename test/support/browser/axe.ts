import type { RunOptions } from 'axe-core'
import axe from 'axe-core/axe.min.js'
import type { Page } from 'playwright-core'

/** Violations of accessibility rules on a page, each with the first element that has it. */
export async function findViolations(page: Page): Promise<[rule: string, element: string][]> {
  if (!(await page.evaluate("typeof window.axe?.run === 'function'"))) await loadAxe(page)
  const options: RunOptions = { resultTypes: ['violations'] }
  const run = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`
  return (await page.evaluate(run)) as [string, string][]
}

/** Through the debugger, because the policy of a page refuses foreign scripts, and once a document, because it takes longer than a run. */
async function loadAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: `${axe.source}; undefined` })
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  await session.detach()
}
