import { createRefresh } from '../../../ops/back-off.ts'
import { ensureRefreshes } from '../../../sql/screening/steps.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'
import { completeReport } from './complete.ts'
import { planLoad } from './plan.ts'
import { Screener } from './screener.ts'

/** The threads that compare names. */
export default function openScreening({ config, db, log, settings }: PlatformParts): OpenedProduct {
  // Where lists can come from, their refreshes begin, also those of lists that a setting adds; each queues the next one.
  if (config.lists.folder || config.outbound === 'public') {
    const ensure = createRefresh(
      () => ensureRefreshes(db, settings.get('screening.lists')),
      error => log.warn({ err: error }, 'the refreshes of lists were not queued'),
    )
    void ensure()
    settings.onRefresh(() => void ensure())
  }
  const screener = new Screener(db)
  return {
    parts: { screener },
    calls: {
      plans: { 'screening.load-list': planLoad },
      completions: { 'screening.report': completeReport },
    },
    close: () => screener.close(),
  }
}

declare module '../../context.ts' {
  interface ProductParts {
    screener: Screener
  }
}
