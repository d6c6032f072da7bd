import type { listPipelines } from '../../../sql/pipeline/saved.ts'

type PipelineRows = Awaited<ReturnType<typeof listPipelines>>

/** `found` has one more than the page, if there are more. */
export function describePage(found: PipelineRows, { limit, offset }: { limit: number; offset: number }) {
  const data = found
    .slice(0, limit)
    .map(({ created_at: createdAt, ...each }) => ({ ...each, createdAt: createdAt.toISOString() }))
  return { data, pagination: { limit, offset, hasMore: found.length > limit } }
}
