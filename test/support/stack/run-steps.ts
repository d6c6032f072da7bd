import { runOnce } from 'graphile-worker'
import type { ApiContext } from '../../../api/context.ts'
import type { Pools } from '../../../pools/index.ts'
import { rows } from '../../../sql/db.ts'
import type { OutsideFiles } from '../../../tasks/products/step-deps.ts'
import { loadProducts } from '../../../workers/product-parts.ts'
import { openStepPool } from '../../../workers/steps/connections.ts'
import { buildStepTasks, findSteps, type NamedStep } from '../../../workers/steps/tasks.ts'

const found = findSteps()
const products = loadProducts()

/**
 * Runs every step in the queue, as a worker would, and what they queue to run at once. Those of a later time run too: they see
 * themselves whether it is time, so a test moves the times of its rows only.
 */
export async function runDueSteps(
  context: Pick<ApiContext, 'config' | 'db' | 'settings' | 'store' | 'mail' | 'log'> & {
    outside?: OutsideFiles
    pools?: Pools
  },
  steps?: readonly NamedStep[],
): Promise<void> {
  await rows(context.db, 'update lane_step._private_jobs set run_at = now() where run_at > now() and attempts = 0')
  const pool = openStepPool(context.db.url)
  try {
    await runOnce({
      pgPool: pool,
      schema: 'lane_step',
      taskList: buildStepTasks({ ...context, products: await products }, steps ?? found),
      noHandleSignals: true,
      logger: quiet,
    })
  } finally {
    await pool.end()
  }
}

const quiet = { error: ignore, warn: ignore, info: ignore, debug: ignore, scope: () => quiet } as never
function ignore(): void {}
