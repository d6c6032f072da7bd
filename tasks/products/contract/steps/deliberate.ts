import { Type } from 'typebox'
import { step } from '#kit'
import type { LanguageModels } from '../../../../ops/providers/llm/contract.ts'
import type * as callers from '../../../../sql/contract/steps.ts'
import type { StepDeps } from '../../step-deps.ts'
import {
  ARBITRATOR,
  combine,
  hashInputs,
  hashPrompt,
  OPINION_SCHEMA,
  type Opinion,
  type Ruling,
  readOpinion,
  writeCase,
} from '../arbitration.ts'

type Deps = StepDeps<typeof callers> & {
  openModels(): Promise<LanguageModels | undefined>
  sign(ruling: Ruling): Promise<string>
}
type Taken = NonNullable<Awaited<ReturnType<Deps['sql']['takeDispute']>>>

const LIMIT_SECONDS = 900
const MAX_OUTPUT_TOKENS = 3_000
/** Of one answer; a pass may ask twice, and there are two passes. */
const CEILING_MICROS = 110_000
const TRIES = 2

export default step({
  summary: 'Rule upon a dispute when the time for evidence is over, or end one that its operator has not ruled upon.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  limitSeconds: LIMIT_SECONDS,
  async run({ id }, deps: Deps) {
    const taken = await deps.sql.takeDispute(id)
    if (!taken) return
    try {
      const ruling = await deliberate(taken, deps)
      await deps.sql.rule(id, { ruling, jws: await deps.sign(ruling), actor: 'arbitrator' })
    } catch (error) {
      const hasEnded = await deps.sql.noteFailedDeliberation(id, error instanceof Error ? error.message : String(error))
      if (!hasEnded) throw error
    }
  },
})

async function deliberate({ document, dispute }: Taken, deps: Deps): Promise<Ruling> {
  const { claimant, claim, requestedRelief, evidence } = dispute
  const facts = evidence.map(({ id, partyKey, title, text, sha256 }) => ({ id, partyKey, title, text, sha256 }))
  const inputs = { document, claimant, claim, requestedRelief, evidence: facts }
  const first = await ask(inputs, 1, deps)
  const second = await ask(inputs, 2, deps)
  return {
    ...{ disputeId: dispute.disputeId, contractId: dispute.contractId, ...combine(first.opinion, second.opinion) },
    ...{ model: first.model, promptHash: hashPrompt(), inputsHash: hashInputs(inputs) },
    decidedAt: deps.now().toISOString(),
  }
}

/** An answer that cannot be used is asked for again; if that one cannot be used either, nothing is decided. */
async function ask(
  inputs: Parameters<typeof writeCase>[0],
  pass: 1 | 2,
  { openModels, signal }: Deps,
): Promise<{ opinion: Opinion; model: string }> {
  const models = await openModels()
  if (!models) throw new Error('this worker has no language model')
  const limits = { signal, deadlineMs: performance.now() + LIMIT_SECONDS * 1_000 }
  const given = writeCase(inputs, pass)
  let fault = ''
  let model = ''
  for (let round = 0; round < TRIES; round++) {
    const user = fault ? `${given}\n\nYour last answer cannot be used: ${fault}. Answer again, in full.` : given
    const request = { tier: 'best' as const, system: ARBITRATOR, user, schema: OPINION_SCHEMA }
    const options = { maxOutputTokens: MAX_OUTPUT_TOKENS, ceilingMicros: CEILING_MICROS }
    const { text, usage } = await models.complete({ ...request, ...options }, limits)
    model = usage.model
    const read = readOpinion(text, inputs)
    if ('opinion' in read) return { opinion: read.opinion, model }
    fault = read.fault
  }
  const summary = 'The arbitrator gave no opinion that rests on the contract and the evidence, so nothing is decided.'
  return { opinion: { outcome: 'inconclusive', summary, findings: [], reliefSuggested: '', confidence: 0 }, model }
}
