import { Type } from 'typebox'
import { Problem, step } from '#kit'
import type { IdentityProvider, ProvidedResult } from '../../../../ops/providers/identity/contract.ts'
import type * as callers from '../../../../sql/idverify/steps.ts'
import type { StepDeps } from '../../step-deps.ts'
import type { IdentityReader } from '../reader.ts'

type Deps = StepDeps<typeof callers> & { reader: IdentityReader; openProvider(): Promise<IdentityProvider | undefined> }
type Taken = NonNullable<Awaited<ReturnType<Deps['sql']['takePoll']>>>

/** Decision 0470. */
export default step({
  summary: 'Ask the provider that verifies a person what has come of it.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  limitSeconds: 60,
  async run({ id }, deps: Deps) {
    const taken = await deps.sql.takePoll(id)
    if (!taken) return
    const result = await ask(taken, deps)
    if (!result) return deps.sql.postponePoll(id)
    const found = await judgeResult(taken, result, deps)
    await deps.sql.recordResult(id, found, deps.settings.get('screening.kept_days'))
  },
})

/** Undefined: the provider cannot be asked now. */
async function ask({ provider: name, reference }: Taken, { openProvider, signal, log }: Deps) {
  const provider = await openProvider()
  if (provider?.name !== name) {
    log({ provider: name }, 'a verification waits for a provider that is not configured here any more')
    return undefined
  }
  try {
    return await provider.read(reference, signal)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    log({ provider: name, hints: error.hints }, 'a provider of identities could not be asked')
    return undefined
  }
}

async function judgeResult(taken: Taken, result: ProvidedResult, deps: Deps) {
  const { state, attempt, reasonCodes, document, similarity } = result
  if (state !== 'approved' && state !== 'declined' && state !== 'review')
    return { outcome: state, attempt, reasonCodes }
  const [{ completeDocument, judgeProvided }, { addScreening, screenSubject }, { describeNumber, showDocument }] =
    await loadChecks()
  const read = document ? completeDocument(document) : undefined
  const hash = read?.number ? deps.reader.hash(describeNumber(read)) : undefined
  const isKnownDocument = hash === undefined ? undefined : await deps.sql.isKnownDocument(taken.id, hash)
  const { provider, terms, subject } = taken
  const provided = { state, reasonCodes, document, similarity }
  const judged = judgeProvided({ provider, terms, subject, isKnownDocument }, provided, deps.now())
  const screened = await screenSubject(taken, judged.outcome, read, deps)
  const isSuspect = screened?.finding.result === 'review' && judged.outcome === 'approved'
  return {
    ...{ ...judged, ...(isSuspect && { outcome: 'review' as const }) },
    ...(screened && addScreening(judged, screened)),
    document: judged.document && showDocument(judged.document),
    documentHash: hash,
  }
}

function loadChecks() {
  return Promise.all([import('../provided.ts'), import('../screening.ts'), import('../record.ts')])
}
