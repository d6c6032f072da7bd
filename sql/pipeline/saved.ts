import { type Db, rows, value } from '../db.ts'

/** One version of a saved pipeline. */
export interface PipelineRecord<Definition> {
  name: string
  version: number
  createdAt: string
  definition: Definition
}

interface PipelineSummary {
  name: string
  version: number
  created_at: Date
  description: string | null
}

/** Throws TOO_MANY_PIPELINES if the account has `max` versions already. */
export function savePipeline<Definition>(
  db: Db,
  { accountId, name, definition, max }: { accountId: string; name: string; definition: Definition; max: number },
): Promise<PipelineRecord<Definition>> {
  return value(db, 'select pipeline.save($1, $2, $3, $4)', [accountId, name, JSON.stringify(definition), max])
}

/** The latest version, if none is asked for. */
export async function findPipeline<Definition>(
  db: Db,
  accountId: string,
  name: string,
  version?: number,
): Promise<PipelineRecord<Definition> | undefined> {
  const found = await value<PipelineRecord<Definition> | null>(db, 'select pipeline.find($1, $2, $3)', [
    accountId,
    name,
    version ?? null,
  ])
  return found ?? undefined
}

/** The latest versions of all pipelines, or all versions of one. */
export function listPipelines(
  db: Db,
  accountId: string,
  { name, limit, offset }: { name?: string; limit: number; offset: number },
): Promise<PipelineSummary[]> {
  return rows(db, 'select * from pipeline.list($1, $2, $3, $4)', [accountId, name ?? null, limit, offset])
}

/** Returns how many versions there were. */
export function deletePipeline(db: Db, accountId: string, name: string): Promise<number> {
  return value(db, 'select pipeline.remove($1, $2)', [accountId, name])
}
