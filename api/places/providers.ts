import type { Router } from '../../ops/providers/route/contract.ts'
import type { ToolReport } from '../../sql/worker.ts'

/** What the location calls need in this process, as workers report their tools. */
export function reportProviders({ router }: { router: Router }): ToolReport[] {
  const install = router.missing()
  return [{ name: 'router', lane: 'remote', ok: install === undefined, ...(install && { install }) }]
}
